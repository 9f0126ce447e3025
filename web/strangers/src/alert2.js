import Swal from "sweetalert2";

document.getElementById("app").innerHTML = `<p id=state>Open</p><button id=x>Close account year</button>`;
document.getElementById("x").onclick = async () => {
  const { isConfirmed } = await Swal.fire({
    title: "Close the year 2025?",
    showCancelButton: true,
    confirmButtonText: "Yes, close it",
    showLoaderOnConfirm: true,
    preConfirm: async () => {
      const answer = await (await fetch("close", { method: "POST" })).json();
      if (!answer.done) Swal.showValidationMessage("Two bookings have no receipt");
      return answer.done;
    },
  });
  if (isConfirmed) {
    document.getElementById("state").textContent = "Closed";
    Swal.fire({ icon: "success", title: "The year is closed", timer: 1500, showConfirmButton: false });
  }
};
