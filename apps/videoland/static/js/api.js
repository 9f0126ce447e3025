// Requests to the server: JSON in, JSON out, errors as ApiError. It knows nothing of users or pages.

import { knobHeader } from "./boot.js";

export class ApiError extends Error {
  constructor(status, body) {
    super(body.error ?? `status ${status}`);
    this.status = status;
    this.errors = body.errors ?? {};
  }
}

export const get = (path, signal) => send("GET", path, undefined, signal);
export const post = (path, body) => send("POST", path, body);
export const put = (path, body) => send("PUT", path, body);
export const patch = (path, body) => send("PATCH", path, body);
export const remove = (path) => send("DELETE", path);

async function send(method, path, body, signal) {
  const form = body instanceof FormData;
  const headers = {};
  const knobs = knobHeader(method !== "GET");
  if (knobs) headers["X-Knobs"] = knobs;
  if (body !== undefined && !form) headers["Content-Type"] = "application/json";
  const response = await fetch(path, {
    method,
    headers,
    signal,
    body: form || body === undefined ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const answer = text ? JSON.parse(text) : {};
  if (!response.ok) throw new ApiError(response.status, answer);
  return answer;
}
