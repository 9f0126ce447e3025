/** Answers of this machine: databases, files, caches, the clipboard and other promises of the browser. */

import { tracePromise } from "./promises.ts";
import { tags, type Work } from "./tags.ts";
import { callNative, listen, prototypeOf, wrapConstructor, wrapMethod, type Call } from "./wrap.ts";

function follow(target: object, work: Work | null, types: string[]): void {
  const enter = tags.entry(work);
  for (const type of types) listen(target, type, enter);
}

/** The wrapper of a method that returns a request object: the events of that object belong to the tag of the call. */
const request: Call = (target, self, args) => {
  const made = callNative(target, self, args);
  if (tags.current !== null && made instanceof EventTarget) {
    follow(made, tags.begin("database", ""), ["success", "error", "complete", "abort"]);
    follow(made, null, ["blocked", "upgradeneeded"]); // the database is not open yet
  }
  return made;
};

const REQUESTS: [string, string[]][] = [
  ["IDBFactory", ["open", "deleteDatabase"]],
  ["IDBDatabase", ["transaction"]],
  ["IDBObjectStore", ["get", "getAll", "getAllKeys", "getKey", "put", "add", "delete", "clear", "count", "openCursor", "openKeyCursor"]],
  ["IDBIndex", ["get", "getAll", "getAllKeys", "getKey", "count", "openCursor", "openKeyCursor"]],
];

const PROMISES: [string, string[]][] = [
  ["Clipboard", ["read", "readText", "write", "writeText"]],
  ["Cache", ["add", "addAll", "delete", "keys", "match", "matchAll", "put"]],
  ["CacheStorage", ["delete", "has", "keys", "match", "open"]],
  ["SubtleCrypto", ["decrypt", "deriveBits", "deriveKey", "digest", "encrypt", "exportKey", "generateKey", "importKey", "sign", "unwrapKey", "verify", "wrapKey"]],
  ["FontFace", ["load"]],
  ["FontFaceSet", ["load"]],
  ["HTMLImageElement", ["decode"]],
  ["FileSystemFileHandle", ["createWritable", "getFile"]],
];

const READER_EVENTS = ["loadstart", "progress", "load", "error", "abort"];
const READER_METHODS = ["readAsText", "readAsDataURL", "readAsArrayBuffer", "readAsBinaryString"];

/** The listeners of a reader are made with it, so they run before those of the page. */
function traceReaders(): void {
  const entries = new WeakMap<object, () => void>();
  const ends = new WeakMap<object, () => void>();
  wrapConstructor("FileReader", {
    made(object) {
      for (const type of READER_EVENTS) listen(object, type, () => entries.get(object)?.());
      listen(object, "loadend", () => ends.get(object)?.());
    },
  });
  for (const method of READER_METHODS) {
    wrapMethod(FileReader.prototype, method, (target, self, args) => {
      entries.set(self as object, tags.entry());
      ends.set(self as object, tags.entry(tags.begin("file", "")));
      return callNative(target, self, args);
    });
  }
}

export function traceDatabases(): void {
  for (const [name, methods] of REQUESTS) for (const method of methods) wrapMethod(prototypeOf(name), method, request);
  for (const [name, methods] of PROMISES) for (const method of methods) wrapMethod(prototypeOf(name), method, tracePromise("file"));
  wrapMethod(globalThis, "createImageBitmap", tracePromise("file"));
  traceReaders();
}
