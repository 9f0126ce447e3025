import { mount } from "svelte5";
import Orders from "./Orders5.svelte";

mount(Orders, { target: document.getElementById("root") });
