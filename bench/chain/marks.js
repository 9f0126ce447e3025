// Gives each control a mark by which the benchmark recognises it: its own id, without the data of a record.
(() => {
  const CONTROLS = "a[href],button,input,select,textarea,summary,[role=tab],[role=menuitem],[role=switch],[role=slider]";
  const withoutData = (text) => (text || "").replace(/\d+/g, "n");
  const owner = (el) => withoutData(el.parentElement?.closest("[id],[data-own-scope]")?.id || "");
  const path = (el) => withoutData((el.getAttribute("href") || "").split(/[#?]/)[0]);
  // the text of a link to a record is data
  const text = (el) => (/\d/.test((el.getAttribute("href") || "").split("?")[0]) ? "" : el.textContent.trim().slice(0, 40));
  const known = (el) => el.dataset.ownId || el.id
    || [owner(el), el.name, el.type, el.type === "submit" ? el.value : "", path(el), text(el)].join("|");
  const digest = (text) => {
    let sum = 7;
    for (const letter of text) sum = (sum * 31 + letter.codePointAt(0)) % 0x7fffffff;
    return `mark ${sum.toString(36).replace(/\d/g, (digit) => "ghijklmnop"[digit])}`;
  };
  const mark = () => {
    for (const el of document.querySelectorAll(CONTROLS)) {
      const text = digest(withoutData(known(el)));
      if (el.getAttribute("aria-description") !== text) el.setAttribute("aria-description", text);
    }
  };
  new MutationObserver(mark).observe(document, { subtree: true, childList: true });
  mark();
})();
