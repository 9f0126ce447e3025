import { Notyf } from "notyf";
import "notyf/notyf.min.css";

const notes = new Notyf({ duration: 1200 });
document.getElementById("app").innerHTML = `<label>Nickname <input id=n value=zed></label> <button id=s>Update</button>`;
document.getElementById("s").onclick = async () => {
  const answer = await (await fetch("update", { method: "POST" })).json();
  answer.updated ? notes.success("Profile updated") : notes.error("Pick a longer nickname");
};
