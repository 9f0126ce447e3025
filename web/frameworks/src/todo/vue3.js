import { createApp } from "vue3/dist/vue.esm-bundler.js";
import { root } from "./_filters.js";
import { options, template } from "./_vue.js";

createApp({ ...options, template, directives: { "todo-focus": { mounted: (el) => el.focus() } } }).mount(root());
