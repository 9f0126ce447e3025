// Assembles the app: the frame around the pages, the router inside, and noise if requested.

import { state } from "./boot.js";
import { frame } from "./frame.js";
import { startNoise } from "./noise.js";
import { start } from "./router.js";
import "./widgets/support_chat.js";

const { element, outlet, routed } = frame(state.user);
document.getElementById("app").replaceWith(element);
startNoise();
start(outlet, routed);
