// The registry of actions that a page offers, in the page's own world. The page can change everything here, so the
// driver checks each answer. The registry sends nothing by itself: the driver asks, and it answers in strings.
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

  // WebMCP: a tool of the page is the action `webmcp.NAME`. A native WebMCP interface of the browser is called as well.
  const TYPES = ["string", "number", "boolean", "array", "object"];
  const argsOf = (schema) => {
    const wanted = (schema && schema.required) || [];
    return Object.entries((schema && schema.properties) || {}).map(([name, one]) => ({
      name,
      type: one && one.type === "integer" ? "number" : TYPES.includes(one && one.type) ? one.type : "string",
      required: wanted.includes(name),
      ...(one && typeof one.description === "string" && { description: one.description }),
    }));
  };
  const client = Object.freeze({ requestUserInteraction: async (callback) => await callback() });
  const registerTool = (tool, options) => {
    if (!tool || typeof tool.name !== "string" || typeof tool.execute !== "function") throw new TypeError("a tool needs name and execute");
    const { name, title, description, inputSchema } = tool;
    const descriptor = { id: `webmcp.${name}`, title: title || name, description: description || "", args: argsOf(inputSchema) };
    const drop = registerAction(descriptor, (input) => tool.execute(input, client));
    options?.signal?.addEventListener("abort", drop, { once: true });
    return { unregister: drop };
  };
  const unregisterTool = (name) => unregisterAction(`webmcp.${name}`);
  const clearContext = () => { for (const id of [...actions.keys()]) if (id.startsWith("webmcp.")) actions.delete(id) };
  const provideContext = (context) => { clearContext(); for (const tool of (context && context.tools) || []) registerTool(tool) };
  const ours = { registerTool, unregisterTool, provideContext, clearContext };
  for (const owner of [navigator, document]) {
    const native = owner.modelContext;
    if (!native) {
      Object.defineProperty(owner, "modelContext", { value: Object.freeze(ours), configurable: true });
      continue;
    }
    for (const [name, record] of Object.entries(ours)) {
      const own = native[name];
      if (typeof own !== "function") continue;
      Object.defineProperty(native, name, { configurable: true, writable: true, value(...given) {
        const result = own.apply(native, given);
        record(...given);
        return result;
      } });
    }
  }

  // `mark` is an event name that only this call knows. It shows the publisher which tasks belong to the handler.
  const call = async (id, args, mark) => {
    const entry = actions.get(id);
    if (!entry) return stringify({ gone: true });
    const sendMark = () => document.dispatchEvent(new Event(mark));
    try {
      sendMark();
      const value = await entry.handler(parse(args));
      sendMark();
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
