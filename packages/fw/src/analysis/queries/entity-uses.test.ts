import { afterEach, expect, test, vi } from "vitest";
import { tries } from "../../lib/testing/tries.ts";
import { openAnalyzer } from "../index.ts";
import { unwrap } from "../source/expression.ts";
import type * as Expression from "./expression.ts";
import { writeApp } from "../testing/app.ts";

/** The kinds of expressions that the walk skips, and the kinds it has visited. */
const walk = vi.hoisted(() => ({ blind: new Set<string>(), met: new Set<string>() }));

vi.mock("./expression.ts", async (original) => {
  const { runExpression } = await original<typeof Expression>();
  const seeing: typeof runExpression = (node, frame) => {
    const { type } = unwrap(node);
    walk.met.add(type);
    return walk.blind.has(type) ? undefined : runExpression(node, frame);
  };
  return { runExpression: seeing };
});

afterEach(() => walk.blind.clear());

/** Positions of a query in a handler, marked `@`. */
const places = [
  "return @;",
  "const { a = @ }: any = {}; return a;",
  "const [a = @]: any = []; return a;",
  "const { a: { b = @ } = {} }: any = {}; return b;",
  "for (const { x = @ } of [{}] as any[]) return x; return [];",
  "for (const { x } = { x: @ }; ; ) return x;",
  "class T { x = @; } return new T().x;",
  "class T { static x = @; } return T.x;",
  "class T { static x: any; static { T.x = @; } } return T.x;",
  "class T { get x() { return @; } } return new T().x;",
  "class T { constructor(readonly x: any = @) {} } return new T().x;",
  "class T { constructor({ x = @ }: any) { void x; } } return new T({});",
  "class T { x({ y = @ }: any) { return y; } } return new T().x({});",
  "return ((x: any = @) => x)();",
  "return (({ x = @ }: any) => x)({});",
  "return (([x = @]: any) => x)([]);",
  "return (({ x: { y = @ } }: any) => y)({ x: {} });",
  "return ((...[x = @]: any) => x)();",
  "const f = ({ x = @ }: any) => x; return f({});",
  "try { throw 1; } catch { return @; }",
  "try { throw {}; } catch ({ x = @ }: any) { return x; }",
  "try { return []; } finally { await @; }",
  "switch (1) { case 1: return @; } return [];",
  "l: { return @; }",
  "const tag = (_: any, x: any) => x; return tag`${@}`;",
  "return `${@}`;",
  "const f = async function* () { yield @; }; for await (const x of f()) return x; return [];",
  "return [...[@]][0];",
  "return { get x() { return @; } }.x;",
  "return { [String(@)]: [] };",
  "return new (class { x = @; })().x;",
  "return await (async () => @)();",
  "let x: any; x ??= @; return x;",
  "let x: any; [x = @] = []; return x;",
  "let x: any; ({ x = @ } = {} as any); return x;",
  "do { return @; } while (true);",
  "for (const x in { a: @ }) void x; return [];",
  "return f(); function f() { return @; }",
  "return g(f); function f() { return @; } function g(x: any) { return x(); }",
  "return []; class T { static x = @; } void T;",
  "return [].map(() => @);",
  "return (req ? @ : []) as any;",
  "if (@) return []; return [];",
  "while (@) return []; return [];",
  "const f = () => () => @; return f()();",
  "return new Promise((done) => done(@));",
  "return !(@);",
];

/** Ways to refer to an entity, and the code that they need. */
const names = [
  "orders",
  "data.orders",
  "again",
  "kit.orders",
  "(orders as any)",
  'orders["query" as const] && orders',
  "orders!",
];
const ask = '.query().where("buyer", "==", "b").orderBy("placed").all(ctx)';

const data = `import { Entity, type ID, type Index } from "fw";
export interface Order { id: ID; buyer: Index<string>; placed: Index<number> }
`;

/** Lists the programs without a problem whose index the analysis misses. */
async function silent(programs: readonly string[]): Promise<readonly string[]> {
  const files = programs.map(
    (body, index) => `-- p${index}/data.ts --
${data}export const orders = Entity<Order>("orders-${index}");
-- p${index}/a.ts --
import { API, type Context } from "fw";
import * as data from "./data.ts";
import { orders } from "./data.ts";
const again = orders;
const kit = { orders };
export const list = API("POST /p${index}", async (ctx: Context, req: { a: string }): Promise<string> => { ${body} });
void data; void again; void kit;
`,
  );
  await using app = await writeApp(`-- package.json --\n{ "name": "app", "type": "module" }\n${files.join("")}`);
  const analyzer = openAnalyzer(app.root);
  try {
    const { app: model, diagnostics } = await analyzer.analyze();
    const told = new Set(diagnostics.map(({ at }) => at.path.split("/", 1)[0]));
    const known = new Set((model.indexes ?? []).map(({ entity }) => entity.replace("orders-", "p")));
    return programs.filter((_, index) => !told.has(`p${index}`) && !known.has(`p${index}`));
  } finally {
    analyzer.close();
  }
}

/** Returns a handler with a query at a position, on a name of the entity or on a parameter that receives it. */
function programOf(place: number, name: number, byParameter: boolean): string {
  const named = names[name % names.length] ?? "";
  const of = (asked: string): string => (places[place] ?? "").replaceAll("@", () => `${asked}${ask}`);
  return byParameter
    ? `const ask = async (t: any): Promise<any> => { ${of("t")} }; return ask(${named});`
    : of(`(${named})`);
}

test("wherever a query is written, its index is derived or the query is reported", async () => {
  const named = places.flatMap((_, place) => [0, 1].map((more) => programOf(place, place + more, false)));
  const given = places.map((_, place) => programOf(place, place, true));
  expect(await silent([...named, ...given])).toEqual([]);
});

test("whatever the walk over queries does not look into, the references of the module tell", async () => {
  const programs = places.map((_, index) => programOf(index, index, index % 2 === 0));
  await silent(programs);
  const kinds = [...walk.met].toSorted();
  expect(kinds.length).toBeGreaterThan(15);
  const seed = Number(process.env["FW_SEED"] ?? 1);
  for (let round = 0; round < tries(3); round += 1) {
    const from = (seed * 31 + round * 7) % kinds.length;
    walk.blind = new Set(round % 3 === 0 ? kinds : [kinds[from] ?? "", kinds[(from * 5 + round) % kinds.length] ?? ""]);
    expect([[...walk.blind], await silent(programs)]).toEqual([[...walk.blind], []]);
  }
});

test("an entity that code of a package gets is told, also inside of literals", async () => {
  await using app = await writeApp(`-- package.json --
{ "name": "app", "type": "module" }
-- node_modules/kit/package.json --
{ "name": "kit", "type": "module", "exports": "./index.js" }
-- node_modules/kit/index.js --
export const use = () => {};
export class Table {}
-- a.ts --
${data}import { use, Table } from "kit";
export const orders = Entity<Order>("orders");
export const query = 1;
use(orders);
use({ tables: [orders] });
new Table(orders);
console.log(orders);
new Map([["orders", orders]]);
`);
  const analyzer = openAnalyzer(app.root);
  const { diagnostics } = await analyzer.analyze();
  analyzer.close();
  const told = diagnostics.filter(({ code }) => code === "fw/query-escapes");
  expect(told.map(({ at }) => at.line)).toEqual([6, 7, 8]);
});
