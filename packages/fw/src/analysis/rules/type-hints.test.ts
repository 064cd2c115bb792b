import { expect, test } from "vitest";
import { typeProblem } from "../schema/type-problem.ts";
import type { RefusalReason } from "../schema/type.ts";
import type { BindingFault } from "../shape/bound-fields.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const head = `import { API, blob, Entity, Queue, reply, Auth, Errorf, type Blob, type Body, type Cookie, type Form, type Header, type Max, type Path, type ID, type Int, type Int64, type Json, type MaxLength, type Min, type Query, type Raw, type User } from "fw";
export const auth = Auth({ password: true });
export class Point { x: number = 0; }
export class Shape { x: number = 0; area(): number { return this.x; } }
export interface Plain { x: number }
declare const code: number;
`;

const request = (type: string): string => `export const a = API("POST /a", (_ctx, _req: { v: ${type} }) => 1);`;
const answer = (type: string): string => `export const a = API("GET /a", (): ${type} => JSON.parse("1"));`;
const message = (type: string): string => `export const q = Queue<${type}>("q");`;
const entity = (field: string): string => `export const e = Entity<{ id: ID; ${field} }>("e");`;

/** For each reason, rejected code, code that follows the hint, and the hint if a rule has its own. */
const cases: Readonly<Record<RefusalReason, readonly [rejectedCode: string, fixedCode: string, hint?: string]>> = {
  any: [request("any"), request("Json")],
  unknown: [request("unknown"), request("Json")],
  object: [request("object"), request("Record<string, number>")],
  function: [request("() => string"), request("string")],
  symbol: [request("symbol"), request('"a" | "b"')],
  bigint: [request("bigint"), request("Int64")],
  map: [request("Map<string, number>"), request("Record<string, number>")],
  set: [request("Set<string>"), request("string[]")],
  class: [request("Shape"), request("Plain")],
  global: [answer("{ v: RegExp }"), answer("{ v: string }")],
  never: [request("never"), request("string")],
  circular: [`type Loop = Loop;\n${request("Loop")}`, `type Loop = { next?: Loop };\n${request("Loop")}`],
  "number-keys": [request("Record<number, string>"), request("Record<string, string>")],
  "symbol-keys": [`declare const key: unique symbol;\n${request("{ [key]: string }")}`, request("{ key: string }")],
  "mixed-keys": [
    request("{ name: string; [key: string]: string }"),
    request("{ name: string; extra: Record<string, string> }"),
  ],
  undefined: [answer("(string | undefined)[]"), answer("(string | null)[]")],
  blob: [answer("{ file: Blob }"), answer("Blob")],
  void: [answer("{ v: void }"), answer("{ v: null }")],
  depth: [`type Deep<T> = { a: Deep<T[]> };\n${request("Deep<string>")}`, request("Json")],
  size: [
    `type D = ${Array.from({ length: 10 }, (_, digit) => `"${digit}"`).join(" | ")};\n${request("`${D}${D}${D}${D}${D}`")}`,
    request("Json"),
  ],
  unresolved: [request("Record<`x_${string}`, Int>"), request("{ x_a: Int }")],
  request: [
    `export const a = API("POST /a", (_ctx, _req: string[]) => 1);`,
    `export const a = API("POST /a", (_ctx, _req: { list: string[] }) => 1);`,
  ],
  bound: [
    request("{ q: Query }"),
    `export const a = API("POST /a", (_ctx, _req: { q: Query }) => 1);`,
    "mark a field of the request itself, such as name: Query",
  ],
  instance: [entity("at: Point"), entity("at: Plain")],
  document: [`export const e = Entity<string>("e");`, entity("text: string")],
  list: [entity("rows: string[][]"), entity("rows: { cells: string[] }[]")],
  user: [message("User"), message("{ userId: string }")],
  raw: [request("{ inner: Raw }"), request("Raw")],
  whole: [request("{ inner: Body<string> }"), request("Body<string>")],
  reply: [
    `export const a = API("GET /a", () => [reply(1, { status: 201 })]);`,
    `export const a = API("GET /a", () => reply(1, { status: 201 }));`,
  ],
  status: [
    `export const a = API("GET /a", () => Errorf(code, "no"));`,
    `export const a = API("GET /a", () => Errorf(409, "no"));`,
  ],
  mistake: [request("Missing"), request("string")],
  constraint: [request("string & Min<3>"), request("string & MaxLength<3>")],
  tuple: [request("[...string[], number]"), request("[number, ...string[]]")],
};

test.each(Object.entries(cases))(
  "the hint for %s leads to code that passes",
  async (reason, [rejectedCode, fixedCode, own]) => {
    const problems = await bench.diagnose(`-- shop/shop.ts --\n${head}${rejectedCode}\n`);
    const { hint } = typeProblem(reason as RefusalReason, "", {
      path: "",
      line: 1,
      column: 1,
      endLine: 1,
      endColumn: 1,
    });
    expect(problems.map((each) => `${each.message}: ${each.hint}`).join("\n")).toContain(own ?? hint);
    expect(await bench.print(`-- shop/shop.ts --\n${head}${fixedCode}\n`)).toEqual([]);
  },
);

const api = (route: string, fields: string): string =>
  `export const a = API("${route}", (_ctx, _req: { ${fields} }) => 1);`;

/** For each mistake in a marked field: code with the mistake, the code that the hint suggests, and the hint. */
const faults: Readonly<Record<BindingFault["kind"], readonly [rejectedCode: string, fixedCode: string, hint: string]>> =
  {
    "single-value": [
      api("GET /a/{ids}", "ids: Path<string[]>"),
      api("GET /a", "ids: Query<string[]>"),
      "bind the list to the query: Query<string[]>",
    ],
    "wrong-name": [
      api("GET /a", 'h: Header<string, "a b">'),
      api("GET /a", 'h: Header<string, "X-Name">'),
      "write the name that clients send: Header<string,",
    ],
    "own-name": [
      api("GET /a", 'c: Cookie<string, "fw_session">'),
      api("GET /a", 'c: Cookie<string, "theme">'),
      "Cookie for your own cookies",
    ],
    "file-outside-form": [api("POST /a", "f: Query<Blob>"), api("POST /a", "f: Form<Blob>"), "write Form<Blob>"],
    constraint: [
      api("GET /a", "n: Query<Int & MaxLength<3>>"),
      api("GET /a", "n: Query<Int & Min<1> & Max<100>>"),
      "write Query<Int & Min<1> & Max<100>>",
    ],
    "list-of-others": [
      api("POST /a", "days: Query<Date[]>"),
      api("POST /a", "days: Date[]"),
      "send the values as JSON",
    ],
    "several-bindings": [
      api("GET /a", 'status: Query<"open"> | "paid"'),
      api("GET /a", 'status: Query<"open" | "paid">'),
      'mark the whole type, such as Query<"open" | "paid">',
    ],
    "unknown-name": [
      api("GET /a", "h: Header<string, string>"),
      api("GET /a", 'h: Header<string, "name">'),
      'write it as a string literal, such as Header<string, "name">',
    ],
    nested: [
      api("GET /a", "inner: { q: Query }"),
      api("GET /a", "q: Query"),
      "mark a field of the request itself, such as name: Query",
    ],
    unsupported: [api("GET /a", "of: Query<{ a: 1 }>"), api("GET /a", "of: Query"), "use string, boolean, Int"],
  };

test.each(["Query", "Form", "Header"])("the hint for a date in a %s says how to read one", async (marker) => {
  const problems = await bench.diagnose(`-- shop/shop.ts --\n${head}${api("POST /a", `since: ${marker}<Date>`)}\n`);
  expect(problems.map((each) => each.hint)).toContain(
    `bind it as a string, ${marker}, and parse it with new Date(…), or send it in a JSON body`,
  );
  expect(await bench.print(`-- shop/shop.ts --\n${head}${api("POST /a", `since: ${marker}`)}\n`)).toEqual([]);
});

test.each(Object.entries(faults))(
  "the hint for a marked field that is %s leads to code that passes",
  async (_kind, row) => {
    const [rejectedCode, fixedCode, hint] = row;
    const problems = await bench.diagnose(`-- shop/shop.ts --\n${head}${rejectedCode}\n`);
    expect(problems.map((each) => each.hint)).toContainEqual(expect.stringContaining(hint));
    expect(await bench.print(`-- shop/shop.ts --\n${head}${fixedCode}\n`)).toEqual([]);
  },
);
