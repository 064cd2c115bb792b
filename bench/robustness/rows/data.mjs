import { readFileSync } from "node:fs";
import { ask, form, inParallel, json } from "../wire.mjs";

const vectors = JSON.parse(
  readFileSync(new URL("../../../packages/fw/test-data/json/parsing.json", import.meta.url), "utf8"),
);
const files = Object.entries(vectors).map(([name, vector]) => [
  name,
  "text" in vector
    ? Buffer.from(vector.text).toString("latin1")
    : Buffer.from(vector.base64, "base64").toString("latin1"),
]);
files.push(["n_structure_100000_opening_arrays.json", "[".repeat(100_000)]);
files.push(["n_structure_open_array_object.json", '[{"":'.repeat(50_000)]);
const of = (prefix) => files.filter(([name]) => name.startsWith(prefix));
const wrapped = (text) => `{"value":${text}}`;

const poison = [
  `{"__proto__":{"polluted":1,"admin":1}}`,
  `{"a":{"__proto__":{"polluted":1}}}`,
  `{"constructor":{"prototype":{"polluted":1}}}`,
  `{"a":{"constructor":{"prototype":{"polluted":1}}}}`,
  `{"\\u005f_proto__":{"polluted":1,"admin":1}}`,
  `{"__pro\\u0074o__":{"polluted":1,"admin":1}}`,
  `[{"__proto__":{"polluted":1}}]`,
  `{"__proto__":null}`,
  `{"__proto__":[1],"a":{"__proto__":{"polluted":1}}}`,
  `{"__proto__":{"__proto__":{"polluted":1}}}`,
  // A declared 64-bit integer routes the body through the exact parser.
  `{"n":12345678901234567890,"__proto__":{"polluted":1,"admin":1}}`,
];

export const data = [
  {
    name: "JSONTestSuite, what must be refused",
    bound: "all 400 `body: invalid JSON`",
    run: async ({ server, dev }) => {
      const cases = of("n_").flatMap(([name, text]) => [
        [server.port, name, text],
        [server.port, name, wrapped(text)],
        [dev.port, name, wrapped(text)],
      ]);
      const wrong = [];
      await inParallel(cases, 8, async ([port, name, text]) => {
        const { status, body } = await ask(port, "/notes", json(text));
        if (status !== 400 || body !== `{"error":"body: invalid JSON"}`)
          wrong.push(`${name}: ${status} ${body.slice(0, 40)}`);
      });
      return { measured: wrong[0] ?? `${cases.length} refused`, ok: wrong.length === 0 };
    },
  },
  {
    name: "JSONTestSuite, what must be accepted",
    bound: "all exact",
    run: async ({ server }) => {
      const wrong = [];
      for (const [name, text] of of("y_")) {
        const { status, body } = await ask(server.port, "/notes", json(wrapped(text)));
        const expected = JSON.stringify(JSON.parse(Buffer.from(text, "latin1").toString()));
        if (status !== 200 || Buffer.from(body, "latin1").toString() !== expected)
          wrong.push(`${name}: ${status} ${body}`);
      }
      return { measured: wrong[0] ?? `${of("y_").length} exact`, ok: wrong.length === 0 };
    },
  },
  {
    name: "JSONTestSuite, what is up to the parser",
    bound: "200 or 400",
    run: async ({ server }) => {
      const answers = await inParallel(of("i_"), 4, ([, text]) => ask(server.port, "/notes", json(wrapped(text))));
      const odd = answers.filter(({ status }) => status !== 200 && status !== 400);
      return { measured: odd.length === 0 ? `${answers.length} answered` : `${odd[0].status}`, ok: odd.length === 0 };
    },
  },
  {
    name: "prototype pollution by JSON, query, form, multipart",
    bound: "0 of all",
    run: async ({ server: { port } }) => {
      const answers = [];
      for (const text of poison) {
        answers.push(await ask(port, "/merge", json(wrapped(text))));
        answers.push(await ask(port, "/merge", json(`{"value":{},"extra":${text},"__proto__":{"polluted":1}}`)));
        answers.push(await ask(port, "/hulls", json(`{"holds":${text}}`)));
        answers.push(await ask(port, "/hulls", json(`{"holds":{"__proto__":1,"polluted":2,"constructor":3}}`)));
      }
      for (const name of [
        "__proto__",
        "__proto__[polluted]",
        "__proto__.polluted",
        "constructor[prototype][polluted]",
        "constructor",
      ]) {
        const field = encodeURIComponent(name);
        answers.push(await ask(port, `/ships?${field}=polluted&text=a&${name}=1`));
        answers.push(await ask(port, "/manifests", form(`ship=a&${field}=polluted&cargo=b&cargo=${field}`)));
        const body = ["ship", name]
          .map((each) => `--x\r\nContent-Disposition: form-data; name="${each}"\r\n\r\npolluted\r\n`)
          .join("");
        const headers = { "Content-Type": "multipart/form-data; boundary=x" };
        answers.push(await ask(port, "/manifests", { method: "POST", headers, body: `${body}--x--\r\n` }));
      }
      // Sent last, to show whether an earlier request polluted a prototype.
      answers.push(await ask(port, "/merge", json(`{"value":{}}`)), await ask(port, "/manifests", form("ship=a")));
      const bad = answers.filter(({ status, body }) => status >= 500 || /"polluted":true|"admin":true/.test(body));
      return { measured: bad[0]?.body ?? `0 of ${answers.length}`, ok: bad.length === 0 };
    },
  },
];
