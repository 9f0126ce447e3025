/** Wrappers around native functions that the page cannot tell from the originals: proxies keep name, length and text. */

// Taken before any page script runs. The page may replace these later.
const { apply, construct, defineProperty, getOwnPropertyDescriptor } = Reflect;

export type Native = (...args: never[]) => unknown;
export type Call = (target: Native, self: unknown, args: unknown[]) => unknown;

/** Replace a method of `owner` by a proxy. `call` decides how the native function is called. Absent methods are skipped. */
export function wrapMethod(owner: object, name: string, call: Call): void {
  const property = getOwnPropertyDescriptor(owner, name);
  const native: unknown = property?.value;
  if (!property?.configurable || typeof native !== "function") return;
  const value = new Proxy(native as Native, { apply: call });
  defineProperty(owner, name, { ...property, value });
}

/** Replace a global constructor by a proxy that calls `made` with each new object. */
export function wrapConstructor(name: string, made: (object: object, args: unknown[]) => void): void {
  const property = getOwnPropertyDescriptor(globalThis, name);
  const native: unknown = property?.value;
  if (!property?.configurable || typeof native !== "function") return;
  const value = new Proxy(native as Native, {
    construct(target, args: unknown[], newTarget: Native) {
      const object = construct(target, args as never[], newTarget === value ? target : newTarget) as object;
      made(object, args);
      return object;
    },
  });
  defineProperty(globalThis, name, { ...property, value });
  const prototype = (native as { prototype?: object }).prototype;
  if (prototype) defineProperty(prototype, "constructor", { value, configurable: true, enumerable: false, writable: true });
}

export function callNative(target: Native, self: unknown, args: unknown[]): unknown {
  return apply(target, self, args as never[]);
}
