import htmx from "htmx.org";

window.htmx = htmx;
htmx.process(document.body);
