// Changes a page as a redesign would, by kind. Every control first gets a mark of its own; added ones get another.
((kind, first = 0) => {
  const CONTROLS = "a[href],button,input:not([type=hidden]),select,textarea,summary,[role=tab],[role=menuitem],[role=switch],[role=slider]";
  const html = document.documentElement;
  const controls = [...document.querySelectorAll(CONTROLS)].filter((el) => el.getClientRects().length);
  const letters = (n) => [...String(n)].map((digit) => "abcdefghij"[digit]).join("");
  const setMark = (el, text) => el.setAttribute("aria-description", text);
  if (kind === "mark") {
    html.dataset.marks = "kept";
    controls.forEach((el, n) => {
      el.removeAttribute("aria-describedby"); // its text would be the description instead
      setMark(el, `drift ${letters(n)}`);
    });
    return controls.length;
  }
  // every third control changes, so that two of three can be mistaken for it
  const chosen = controls.filter((_, n) => n % 3 === first);
  const labelOf = (el) => el.labels?.[0];
  const textNodes = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), found = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) if (node.data.trim()) found.push(node);
    return found;
  };
  const rename = (el, change) => {
    const owner = labelOf(el) ?? el;
    if (owner !== el || !/^(INPUT|SELECT|TEXTAREA)$/.test(el.tagName)) for (const node of textNodes(owner)) {
      if (!el.matches("select") || !el.contains(node)) node.data = change(node.data);
    }
    for (const name of ["aria-label", "title", "placeholder"]) if (el.hasAttribute(name)) el.setAttribute(name, change(el.getAttribute(name)));
    if (el.matches("input[type=submit],input[type=button]")) el.value = change(el.value);
  };
  const wrap = (el, tag, attributes = {}) => {
    const box = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) box.setAttribute(name, value);
    el.replaceWith(box);
    box.append(el);
  };
  const block = (el) => labelOf(el)?.parentElement?.contains(el) ? labelOf(el).parentElement : el;
  const drifts = {
    "renamed label": () => chosen.forEach((el) => rename(el, (text) => `Revised ${text.trim().split(" ").reverse().join(" ")}`)),
    "moved field": () => {
      const forms = [...document.querySelectorAll("form")];
      chosen.filter((el) => el.form && el.matches("input,select,textarea")).forEach((el) => el.form.append(block(el)));
      if (forms.length > 1) forms[0].parentElement.append(forms[0]);
    },
    "wrapped form": () => document.querySelectorAll("form").forEach((el) => wrap(el, "section", { "aria-label": "New section" })),
    "new ancestor": () => [...document.body.children].filter((el) => el.tagName !== "SCRIPT").forEach((el) => { wrap(el, "div"); wrap(el, "div", { class: "inner" }); }),
    "changed id": () => chosen.forEach((el, n) => {
      const label = labelOf(el);
      if (el.id) { el.id = `ui-${n}-${el.id.split("").reverse().join("")}`; if (label?.htmlFor) label.htmlFor = el.id; }
      const was = el.name, now = `n${n}`;
      for (const name of ["data-testid", "name"]) if (el.hasAttribute(name)) el.setAttribute(name, now);
      // the program of a redesigned form knows its new names; this one gets the old ones
      if (was) Object.defineProperty(el, "name", { get: () => was });
      if (was) el.form?.addEventListener("formdata", ({ formData }) => {
        for (const value of formData.getAll(now)) formData.append(was, value);
        formData.delete(now);
      });
    }),
    "reordered list": () => document.querySelectorAll("ul,ol,tbody,nav,form").forEach((list) => {
      for (const item of [...list.children].reverse()) list.append(item);
    }),
    "other locale": () => {
      const turned = (text) => text.replace(/[A-Za-z]+/g, (word) => [...word].reverse().join("") + "é");
      for (const node of textNodes(document.body)) if (!node.parentElement.closest("script,style")) node.data = turned(node.data);
      controls.forEach((el) => { if (!textNodes(labelOf(el) ?? el).length) rename(el, turned); });
      document.querySelectorAll("[aria-label],[title],[placeholder]").forEach((el) => {
        for (const name of ["aria-label", "title", "placeholder"]) if (el.hasAttribute(name)) el.setAttribute(name, turned(el.getAttribute(name)));
      });
    },
    "added twin": () => chosen.forEach((el) => {
      const twin = el.cloneNode(true);
      twin.removeAttribute("id");
      twin.removeAttribute("name");
      setMark(twin, "drift twin");
      document.querySelector("main,#content,body").append(twin);
    }),
    "changed role": () => chosen.forEach((el) => el.setAttribute("role", el.matches("a[href]") ? "button" : el.matches("button") ? "link" : "textbox")),
    "removed element": () => chosen.forEach((el) => el.remove()),
  };
  if (kind === "kinds") return Object.keys(drifts);
  drifts[kind]();
  return chosen.length;
})
