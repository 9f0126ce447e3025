/** Wrappers around native functions: a proxy keeps name, length, prototype and the text "[native code]". */

// Taken before any page script runs. The page may replace these later.
const { apply: reflectApply, construct, defineProperty, getOwnPropertyDescriptor } = Reflect;

export type Native = (...args: never[]) => unknown;
export type Call = (target: Native, self: unknown, args: unknown[]) => unknown;

export function apply(target: unknown, self: unknown, args: unknown[]): unknown {
  return reflectApply(target as Native, self, args as never[]);
}

export const callNative: Call = apply;

/** Replace a method of `owner` by a proxy. `call` decides how the native function is called. Absent methods are skipped. */
export function wrapMethod(owner: object | undefined, name: string, call: Call): void {
  const property = owner && getOwnPropertyDescriptor(owner, name);
  const native: unknown = property?.value;
  if (!owner || !property?.configurable || typeof native !== "function") return;
  defineProperty(owner, name, { ...property, value: new Proxy(native as Native, { apply: call }) });
}

/** Call `before` before a property of `owner` is set, with the value that it will get. */
export function wrapSetter(owner: object | undefined, name: string, before: (self: object, value: unknown) => void): void {
  const property = owner && getOwnPropertyDescriptor(owner, name);
  if (!owner || !property?.configurable || !property.set) return;
  const call: Call = (target, self, args) => {
    before(self as object, args[0]);
    return callNative(target, self, args);
  };
  defineProperty(owner, name, { ...property, set: new Proxy(property.set as Native, { apply: call }) as (value: unknown) => void });
}

export interface Construction {
  /** Change the arguments before the object is made. */
  given?: (args: unknown[]) => unknown[];
  made?: (object: object, args: unknown[]) => void;
}

/** Replace a global constructor by a proxy. */
export function wrapConstructor(name: string, { given, made }: Construction): void {
  const property = getOwnPropertyDescriptor(globalThis, name);
  const native: unknown = property?.value;
  if (!property?.configurable || typeof native !== "function") return;
  const value = new Proxy(native as Native, {
    construct(target, args: unknown[], newTarget: Native) {
      const object = construct(target, (given?.(args) ?? args) as never[], newTarget === value ? target : newTarget) as object;
      made?.(object, args);
      return object;
    },
  });
  defineProperty(globalThis, name, { ...property, value });
  const prototype = (native as { prototype?: object }).prototype;
  const constructor = prototype && getOwnPropertyDescriptor(prototype, "constructor");
  if (prototype && constructor?.value === native) defineProperty(prototype, "constructor", { ...constructor, value });
}

/** Return the prototype of a global class, if this browser has it here. */
export function prototypeOf(name: string): object | undefined {
  return (globalThis as unknown as Record<string, { prototype?: object } | undefined>)[name]?.prototype;
}

const { addEventListener } = EventTarget.prototype;

export function listen(target: object, type: string, run: (event: Event) => void, options: object = {}): void {
  apply(addEventListener, target, [type, run, options]);
}
