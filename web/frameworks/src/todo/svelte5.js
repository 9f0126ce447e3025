import { mount } from "svelte5";
import { root } from "./_filters.js";
import Todo from "./Todo5.svelte";

mount(Todo, { target: root() });
