import { useState } from "react";
import { createRoot } from "react-dom/client";
import { useForm } from "react-hook-form";

function Form() {
  const { register, handleSubmit, setError, formState } = useForm();
  const [sent, setSent] = useState("");
  const submit = handleSubmit(async (values) => {
    const answer = await (await fetch("register", { method: "POST", body: JSON.stringify(values) })).json();
    if (answer.taken) setError("handle", { message: "Someone else has this handle" });
    else setSent(`Welcome, ${values.handle}`);
  });
  if (sent) return <h2>{sent}</h2>;
  return (
    <form onSubmit={submit}>
      <label>
        Handle <input {...register("handle", { required: "Please choose a handle" })} />
      </label>
      <p>{formState.errors.handle?.message}</p>
      <button disabled={formState.isSubmitting}>Register</button>
    </form>
  );
}
createRoot(document.getElementById("app")).render(<Form />);
