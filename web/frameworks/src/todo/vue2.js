import Vue from "vue2/dist/vue.esm.js";
import { root } from "./_filters.js";
import { options, template } from "./_vue.js";

Vue.config.productionTip = false;
new Vue({ ...options, template, directives: { "todo-focus": { inserted: (el) => el.focus() } } }).$mount(root());
