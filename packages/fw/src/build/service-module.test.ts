import { expect, test } from "vitest";
import { usageMarkersIn } from "./usage-markers.ts";
import { serviceModule, type Declaration } from "./service-module.ts";

function transformed(
  text: string,
  declarations: readonly Declaration[],
  own: readonly string[] = [],
  mark = false,
): string {
  return serviceModule("notes/notes.ts", text, declarations, {
    code: new Set(own.map((variable) => `notes/notes.ts#${variable}`)),
    mark,
    exposed: [],
  });
}

test("a declaration of another service loses its code and keeps its lines", () => {
  const text = `export const list = API<Req, Note[]>("GET /notes", async (ctx) => {
  return all(ctx);
}, { signIn: true });
export const sweep = Cron("sweep", "0 4 * * *", (run) satisfies Run, { deadline: "1m" }) as CronDeclaration;
const keep = API("GET /keep", handler);
`;
  const declarations = [
    { variable: "list", code: 1 },
    { variable: "sweep", code: 2 },
    { variable: "keep", code: 1 },
  ];
  expect(transformed(text, declarations, ["keep"])).toBe(
    `export const list = /*@__PURE__*/ (() => API<Req, Note[]>("GET /notes", undefined

, { signIn: true }))();
export const sweep = /*@__PURE__*/ (() => Cron("sweep", "0 4 * * *", undefined, { deadline: "1m" }))() as CronDeclaration;
const keep = /*@__PURE__*/ (() => API("GET /keep", handler))();
`,
  );
});

test("what is not a declaration stays as it is: other calls, and variables of other scopes", () => {
  const text = `const table = build("x", () => 1);
function make() { const list = API("GET /x", () => 1); return list; }
`;
  expect(transformed(text, [{ variable: "list", code: 1 }])).toBe(text);
});

test("marks name the declarations and the files that code has", () => {
  const text = `export const notes = Entity<Note>("notes");
const seed = join(import.meta.dirname, "seed");
const icon = new URL("../icons/a.svg", import.meta.url);
const list = API("GET /", () => readFileSync(join(import.meta.dirname, "gone")));
`;
  const withMarks = transformed(text, [{ variable: "notes" }, { variable: "list", code: 1 }], [], true);
  expect([...usageMarkersIn(withMarks)]).toEqual([
    "notes/notes.ts#notes",
    "file:notes/seed",
    "file:icons/a.svg",
    "notes/notes.ts#list",
  ]);
});

test("a module finds the files beside it where the service has them", () => {
  expect(transformed(`const here = [import.meta.dirname, import.meta.filename, import.meta.url];\n`, [])).toBe(
    `const here = [(import.meta.dirname + "/files/notes"), (import.meta.dirname + "/files/notes/notes.ts"), /*@__PURE__*/ new URL("./files/notes/notes.ts", import.meta.url).href];\n`,
  );
});

test("what only a deployment reads is in no service, and brings nothing there", () => {
  const text = `export const errors = Alert("errors", { if: ratio(order, "5xx").above(0.1), every: "5m", notify: [oncall] });
export const oncall = Channel("oncall", { webhook: hook });
`;
  const declarations = [
    { variable: "errors", code: 1 },
    { variable: "oncall", code: 1 },
  ];
  expect(transformed(text, declarations))
    .toBe(`export const errors = /*@__PURE__*/ (() => Alert("errors", undefined))();
export const oncall = /*@__PURE__*/ (() => Channel("oncall", undefined))();
`);
});

test("a call that awaits outside of its functions stays outside of a function", () => {
  const text = `export const list = API("GET /notes", await handlerOf(), { maxAge: "1m" });
export const one = API("GET /note", async () => await find());
`;
  expect(transformed(text, [{ variable: "list" }, { variable: "one" }]))
    .toBe(`export const list = /*@__PURE__*/ API("GET /notes", await handlerOf(), { maxAge: "1m" });
export const one = /*@__PURE__*/ (() => API("GET /note", async () => await find()))();
`);
});

test("a dynamic import of a constant is written out, for the bundler to follow", () => {
  const text = `const late = "./late.ts" as const;
export const load = () => import(late);
export const other = (late2: string) => import(late2);
`;
  expect(transformed(text, [])).toBe(text.replace("import(late)", 'import("./late.ts")'));
});
