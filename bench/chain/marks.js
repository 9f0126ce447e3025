// Gives each control a mark by which the benchmark recognises it: its own id, without the data of a record.
(() => {
  const CONTROLS = "a[href],button,input,select,textarea,summary,[role=tab],[role=menuitem],[role=switch],[role=slider]";
  const withoutData = (text) => (text || "").replace(/\d+/g, "n");
  const owner = (el) => withoutData(el.parentElement?.closest("[id],[data-own-scope]")?.id || "");
  const here = () => withoutData(location.pathname);
  // the address of the page itself counts as none: the link of the current page of a list has none either
  const path = (el) => { const to = withoutData((el.getAttribute("href") || "").split(/[#?]/)[0]); return to === here() ? "" : to; };
  // the text of a link to a record is data
  const text = (el) => (path(el) && /\d/.test((el.getAttribute("href") || "").split("?")[0]) ? "" : el.textContent.trim().slice(0, 40));
  const known = (el) => el.dataset.ownId || el.id
    || [owner(el), el.name, el.type, el.type === "submit" ? el.value : "", path(el), text(el)].join("|");
  const digest = (text) => {
    let sum = 7;
    for (const letter of text) sum = (sum * 31 + letter.codePointAt(0)) % 0x7fffffff;
    return `mark ${sum.toString(36).replace(/\d/g, (digit) => "ghijklmnop"[digit])}`;
  };
  const mark = () => {
    if (document.documentElement.dataset.marks === "kept") return; // the drifts have set marks of their own
    for (const el of document.querySelectorAll(CONTROLS)) {
      const text = digest(withoutData(known(el)));
      if (el.getAttribute("aria-description") !== text) el.setAttribute("aria-description", text);
    }
  };
  new MutationObserver(mark).observe(document, { subtree: true, childList: true });
  mark();
})();
