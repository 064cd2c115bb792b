import { ask, exchange, form, json } from "../wire.mjs";

const get = (path, headers = "") => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const post = (type, body) => ({ method: "POST", headers: { "Content-Type": type }, body });
const part = (name, value) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const multipart = (body) => post("multipart/form-data; boundary=x", `${body}--x--\r\n`);

const beyond = {
  "a query of 1,001 parameters": ["/ships?" + "a=1&".repeat(1001), {}, 400],
  "JSON of 1 MiB and more": ["/notes", json(`{"value":"${"a".repeat(1024 * 1024)}"}`), 413],
  "JSON nested 1,100 deep": ["/notes", json(`{"value":${"[".repeat(1100)}${"]".repeat(1100)}}`), 400],
  "a form of 1 MiB and more": ["/manifests", form(`ship=${"a".repeat(1024 * 1024)}`), 413],
  "a form of 1,001 fields": ["/manifests", form("cargo=a&".repeat(1001)), 400],
  "1,001 parts": ["/photographs", multipart(part("a", "b").repeat(1001)), 413],
  "a part's header of 17 kB": ["/photographs", multipart(part("a".repeat(17_000), "b")), 400],
  "a text part of 1 MiB and more": ["/photographs", multipart(part("title", "a".repeat(1024 * 1024 + 1))), 413],
};

export const limits = [
  {
    name: "64 kB of headers, 4 ways",
    bound: "431 or 414",
    run: async ({ server, dev }) => {
      const heads = [
        get("/office", `X: ${"a".repeat(65_536)}\r\n`),
        get("/office", "a: b\r\n".repeat(11_000)),
        get(`/office?${"a".repeat(65_536)}`),
        get("/office", `${"a".repeat(65_536)}: b\r\n`),
      ];
      const statuses = [];
      for (const port of [server.port, dev.port])
        for (const head of heads) statuses.push((await exchange(port, head)).text.slice(9, 12));
      return {
        measured: [...new Set(statuses)].join(" "),
        ok: statuses.every((each) => each === "431" || each === "414"),
      };
    },
  },
  {
    name: "bodies beyond a limit",
    bound: "413 or 400",
    run: async ({ server }) => {
      const wrong = [];
      for (const [what, [path, init, status]] of Object.entries(beyond)) {
        const answer = await ask(server.port, path, init);
        if (answer.status !== status) wrong.push(`${what}: ${answer.status} ${answer.body.slice(0, 60)}`);
      }
      return { measured: wrong.join("; ") || `${Object.keys(beyond).length} refused`, ok: wrong.length === 0 };
    },
  },
];
