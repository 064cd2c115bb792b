import { malformed, smuggled } from "../malformed.mjs";
import { ask, exchange, inParallel } from "../wire.mjs";

const routes = ["/office", "/ships", "/manifests", "/photographs", "/desk", "/robots.txt", "/nowhere", "/_fw/z/x"];
const proof = '"berth":4711';

async function tryAll(cases, ports, judge) {
  const wrong = [];
  const all = Object.entries(cases).flatMap(([what, make]) =>
    routes.flatMap((route) => ports.map((port) => ({ what, route, port, bytes: make(route) + smuggled }))),
  );
  await inParallel(all, 16, async ({ what, route, port, bytes }) => {
    const { text, closed } = await exchange(port, bytes, { ms: 4000 });
    const complaint = text.includes(proof) ? "what follows is answered" : judge(text, closed);
    if (complaint) wrong.push(`${what} at ${route}: ${complaint}`);
  });
  return { tried: Object.keys(cases).length, wrong };
}

/** Expects a single refusal, after which the connection closes. */
function refusedOnce(text, closed) {
  if (!/^HTTP\/1\.1 4\d\d /.test(text)) return `answered ${JSON.stringify(text.slice(0, 30))}`;
  return onlyOnce(text, closed);
}

function onlyOnce(text, closed) {
  if ((text.match(/HTTP\/1\.1 [1-5]/g) ?? []).length > 1) return "answered twice";
  return closed ? "" : "the connection stays open";
}

export const smuggling = [
  {
    name: "malformed heads, at 8 kinds of route, deployed and dev",
    bound: "all 4xx, next never answered",
    run: async ({ server, dev }) => {
      const before = (await ask(server.port, "/docked")).body;
      const { tried, wrong } = await tryAll(malformed.heads, [server.port, dev.port], refusedOnce);
      if ((await ask(server.port, "/docked")).body !== before) wrong.push("a handler ran");
      return { measured: wrong[0] ? `${wrong.length}: ${wrong[0]}` : `${tried} x 16 refused`, ok: wrong.length === 0 };
    },
  },
  {
    name: "broken chunks, at 8 kinds of route, deployed and dev",
    bound: "next never answered",
    run: async ({ server, dev }) => {
      const before = (await ask(server.port, "/docked")).body;
      const { tried, wrong } = await tryAll(malformed.bodies, [server.port, dev.port], onlyOnce);
      if ((await ask(server.port, "/docked")).body !== before) wrong.push("a handler ran");
      return { measured: wrong[0] ? `${wrong.length}: ${wrong[0]}` : `${tried} x 16, none`, ok: wrong.length === 0 };
    },
  },
  {
    name: "a body that nobody reads is never the next request",
    bound: "0 answered",
    run: async ({ server, dev }) => {
      const wrong = [];
      for (const port of [server.port, dev.port])
        for (const route of routes)
          for (const method of ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"])
            for (const head of [`Content-Length: ${smuggled.length}`, "Transfer-Encoding: chunked"]) {
              const body = head.startsWith("C")
                ? smuggled
                : `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
              const request = `${method} ${route} HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n${body}`;
              const next = "GET /docked HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
              const { text, closed } = await exchange(port, request + next, { ms: 3000 });
              if (text.includes(proof) || !closed) wrong.push(`${method} ${route}: ${closed ? "answered" : "open"}`);
            }
      return { measured: wrong[0] ?? "0 of 192", ok: wrong.length === 0 };
    },
  },
];
