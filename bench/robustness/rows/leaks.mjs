import { pause, written } from "../process.mjs";
import { answers, ask, json } from "../wire.mjs";

const escape = "\x1b[2J";
const forged = { severity: "CRITICAL", message: "FORGED" };
const texts = [
  `a\r\n${JSON.stringify(forged)}\r\n`,
  `a\n12:00:00.000 ERROR FORGED\n`,
  `a\u2028${JSON.stringify(forged)}`,
  `a\u0085${JSON.stringify(forged)}`,
  `${escape}FORGED`,
  "\u009b2JFORGED",
  `","severity":"CRITICAL","message":"FORGED`,
  "\u202eFORGED",
  "a\0b\x08\x7f",
  "%0d%0aFORGED",
  "__proto__",
  "severity",
  "x".repeat(2000),
];

const opaque = [
  "/crash",
  "/crash?text=list",
  "/late",
  "/odd",
  "/broken",
  "/lost",
  "/mine",
  "/miss",
  "/nowhere",
  "/berths/x",
];

// Lines of a stack trace, paths of this machine or of Node, and secrets of the application and its files.
const leaked =
  /\n\s+at |\bat (?:async )?[\w.<>]+ \(|node:internal|node_modules|file:\/\/|\/tmp\/fw-|\/work\/|\/home\/|\/root\/|\.mjs|harbour\.ts|hunter2|ENOENT|EACCES|TypeError|SyntaxError|ReferenceError/;

export const leaks = [
  {
    name: "what visitors write never makes a line of the log",
    bound: "0 forged lines, 0 raw controls",
    last: true,
    run: async ({ server, dev }) => {
      for (const { port } of [server, dev])
        for (const text of texts) {
          const query = encodeURIComponent(text);
          for (const path of ["/log", "/crash", "/refuse"]) await ask(port, `${path}?text=${query}`);
          await ask(port, `/log?text=a`, {
            headers: {
              "User-Agent": Buffer.from(text)
                .toString("latin1")
                .replaceAll(/[\r\n\0]/g, ""),
            },
          });
          await ask(port, `/cranes/${query}/${query}`);
          await ask(port, `/${query}`);
          await ask(port, `/away?to=${query}`);
          await ask(port, "/ships", json({ name: 1, [text]: text, crew: text }));
        }
      // Waits for the last lines to arrive.
      await pause(200);
      const bad = written.flatMap(({ mode, text }) => (mode === "dev" ? devLines(text) : jsonLines(text)));
      const lines = written.reduce((sum, { text }) => sum + text.split("\n").length, 0);
      return {
        measured: bad[0] ? `${bad.length}: ${bad[0]}` : `0 of ${lines} lines`,
        ok: bad.length === 0 && lines > 100,
      };
    },
  },
  {
    name: "no stack, path or secret in any answer of this run",
    bound: "0 of all",
    last: true,
    run: async ({ server, dev }) => {
      for (const { port } of [server, dev])
        for (const path of opaque)
          for (const headers of [{}, { Accept: "text/html" }, { "HX-Request": "true" }])
            await ask(port, path, { headers });
      const bad = [...answers].filter(([text, sent]) => leaked.test(withoutEcho(text, sent)));
      const first = bad[0] && `${JSON.stringify(bad[0][1].slice(0, 60))} -> ${leaked.exec(bad[0][0])?.[0]}`;
      return {
        measured: first ? `${bad.length}: ${first}` : `0 of ${answers.size} different ones`,
        ok: bad.length === 0,
      };
    },
  },
];

/** Removes the request's target from a response: an echo of the client's own input is not a leak. */
function withoutEcho(text, sent) {
  const target = sent.split(" ")[1] ?? "";
  return text.replaceAll(target, "");
}

function jsonLines(text) {
  return text.split("\n").filter((line) => {
    if (line === "") return false;
    try {
      const { severity, time, message } = JSON.parse(line);
      return severity === "CRITICAL" || message === "FORGED" || time === undefined || rawControl.test(line);
    } catch {
      return true;
    }
  });
}

// oxlint-disable-next-line no-control-regex -- the regex searches for control characters
const rawControl = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202e]/;

function devLines(text) {
  return text
    .split("\n")
    .filter(
      (line) =>
        rawControl.test(line) || /^\d\d:\d\d:\d\d\.\d{3} ERROR FORGED/.test(line) || /^(?:FORGED|\{)/.test(line),
    );
}
