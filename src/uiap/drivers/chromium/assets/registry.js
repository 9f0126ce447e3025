// The page's own registry of actions, in its own world: everything here is the page's word and is checked outside.
// It has no way out: the driver asks it, and it answers in strings.
(() => {
  "use strict";
  if (window !== window.top || Object.hasOwn(window, "__uiap_actions")) return;
  const { parse, stringify } = JSON;
  const MAX = 100;
  const actions = new Map();

  const registerAction = (descriptor, handler) => {
    const id = descriptor && descriptor.id;
    if (typeof id !== "string" || id === "") throw new TypeError("an action needs an id, such as `video.create`");
    if (typeof handler !== "function") throw new TypeError(`the action \`${id}\` needs a function`);
    if (!actions.has(id) && actions.size >= MAX) throw new RangeError(`a page may register ${MAX} actions`);
    const entry = { descriptor: parse(stringify(descriptor)), handler };
    actions.set(id, entry);
    return () => void (actions.get(id) === entry && actions.delete(id));
  };
  const unregisterAction = (id) => void actions.delete(id);

  // `mark` is an event that only this call knows: it tells the publisher which task is the handler's.
  const call = async (id, args, mark) => {
    const entry = actions.get(id);
    if (!entry) return stringify({ gone: true });
    const note = () => document.dispatchEvent(new Event(mark));
    try {
      note();
      const value = await entry.handler(parse(args));
      note();
      return stringify({ value: value === undefined ? null : value });
    } catch (error) {
      return stringify({ error: String((error && error.message) || error).slice(0, 500) });
    }
  };
  const list = () => stringify([...actions.values()].map((entry) => entry.descriptor));

  Object.defineProperty(window, "__uiap_actions", { value: Object.freeze({ list, call }) });
  Object.defineProperty(window, "uiap", {
    value: Object.freeze({ registerAction, unregisterAction }), configurable: true, writable: true,
  });
})();
