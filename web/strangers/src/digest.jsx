import { useState } from "react";
import { createRoot } from "react-dom/client";

/** A switch that shows the new state at once and follows the state that the server keeps. */
function Digest() {
  const [on, setOn] = useState(false);
  const toggle = async () => {
    setOn(!on);
    const kept = await (await fetch("settings", { method: "PATCH", body: JSON.stringify({ digest: !on }) })).json();
    setOn(kept.digest);
  };
  return (
    <section>
      <h1>Notifications</h1>
      <span id="d">Weekly digest</span>{" "}
      <button type="button" role="switch" aria-checked={on} aria-labelledby="d" onClick={toggle}>
        <span style={{ display: "inline-block", transform: on ? "translateX(8px)" : "none" }}>●</span>
      </button>
    </section>
  );
}

createRoot(document.getElementById("root")).render(<Digest />);
