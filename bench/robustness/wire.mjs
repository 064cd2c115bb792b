import { connect } from "node:net";

/** The distinct prefixes of all responses of the run, with their requests, for the row about leaks. */
export const answers = new Map();
const scanned = 64 * 1024;

/** Sends raw bytes; resolves to the response (latin1) when the server closes, or when `enough` returns true. */
export function exchange(port, bytes, { ms = 5000, enough = () => false, halfClose = false } = {}) {
  return new Promise((resolve) => {
    let text = "";
    const started = performance.now();
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => {
      const parts = Array.isArray(bytes) ? bytes : [bytes];
      for (const part of parts) socket.write(Buffer.from(part, "latin1"));
      if (halfClose) socket.end();
    });
    const done = (closed) => {
      clearTimeout(timer);
      socket.destroy();
      const key = text.slice(0, scanned);
      if (!answers.has(key)) answers.set(key, String(bytes).slice(0, 300));
      resolve({ text, closed, ms: performance.now() - started });
    };
    const timer = setTimeout(() => done(false), ms);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (enough(text)) done(false);
    });
    socket.on("error", () => {});
    socket.on("close", () => done(true));
  });
}

/** Sends one request on its own connection; `body` is a latin1 string. */
export async function ask(port, path, { method = "GET", headers = {}, body = "", ms } = {}) {
  const all = { Host: "harbour.localhost", Connection: "close", ...headers };
  if (body !== "" || method === "POST") all["Content-Length"] ??= body.length;
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const { text } = await exchange(port, `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`, { ms });
  return parse(text);
}

export function json(value) {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  return { method: "POST", headers: { "Content-Type": "application/json" }, body };
}

export function form(body, headers = {}) {
  return { method: "POST", headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers }, body };
}

export function parse(text) {
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, end === -1 ? undefined : end).split("\r\n");
  const headers = new Map(
    lines.map((line) => [line.split(":", 1)[0].toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const raw = end === -1 ? "" : text.slice(end + 4);
  return {
    status: Number(first.split(" ")[1] ?? 0),
    headers,
    body: headers.get("transfer-encoding") === "chunked" ? dechunked(raw) : raw,
    text,
  };
}

function dechunked(text) {
  const parts = [];
  for (let at = 0; ;) {
    const line = text.indexOf("\r\n", at);
    const size = Number.parseInt(text.slice(at, line), 16);
    if (line === -1 || !(size > 0)) return parts.join("");
    parts.push(text.slice(line + 2, line + 2 + size));
    at = line + 4 + size;
  }
}

/** Like `Promise.all` over `items`, with at most `width` at a time. */
export async function inParallel(items, width, run) {
  const results = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const i = next++;
      results[i] = await run(items[i], i);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  return results;
}

export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
