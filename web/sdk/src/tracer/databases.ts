/** Answers of databases and files: IndexedDB requests and transactions, FileReader. */

import { tags, type Work } from "./tags.ts";
import { callNative, wrapMethod, type Call } from "./wrap.ts";

const addEventListener = EventTarget.prototype.addEventListener;

function follow(target: object, work: Work | null, types: string[]): void {
  const enter = tags.entry(work);
  for (const type of types) Reflect.apply(addEventListener, target, [type, enter]);
}

/** A method that returns a request object: its events belong to the tag of the call. */
const request: Call = (target, self, args) => {
  const made = callNative(target, self, args);
  if (tags.current !== null && made instanceof EventTarget) {
    follow(made, tags.begin("database", ""), ["success", "error", "upgradeneeded", "complete", "abort"]);
  }
  return made;
};

const readFile: Call = (target, self, args) => {
  if (tags.current !== null && self instanceof FileReader) {
    follow(self, tags.begin("file", ""), ["load", "error", "abort", "loadend"]);
  }
  return callNative(target, self, args);
};

const REQUESTS: [string, string[]][] = [
  ["IDBFactory", ["open", "deleteDatabase"]],
  ["IDBDatabase", ["transaction"]],
  ["IDBObjectStore", ["get", "getAll", "getAllKeys", "getKey", "put", "add", "delete", "clear", "count", "openCursor", "openKeyCursor"]],
  ["IDBIndex", ["get", "getAll", "getAllKeys", "getKey", "count", "openCursor", "openKeyCursor"]],
];

export function traceDatabases(): void {
  for (const [name, methods] of REQUESTS) {
    const owner = (globalThis as unknown as Record<string, { prototype?: object } | undefined>)[name]?.prototype;
    if (owner) for (const method of methods) wrapMethod(owner, method, request);
  }
  for (const method of ["readAsText", "readAsDataURL", "readAsArrayBuffer"]) wrapMethod(FileReader.prototype, method, readFile);
}
