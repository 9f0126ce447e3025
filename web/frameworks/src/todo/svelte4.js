import { root } from "./_filters.js";
import Todo from "./Todo4.svelte";

new Todo({ target: root() });
