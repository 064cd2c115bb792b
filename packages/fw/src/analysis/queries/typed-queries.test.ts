import { expect, test } from "vitest";
import { openAnalyzer } from "../index.ts";
import { writeTypedApp } from "../testing/typed-app.ts";

const head = `import { Entity, type Context, type EntityDeclaration, type EntityQuery, type ID, type Index } from "fw";
interface Order { id: ID; buyer: Index<string>; placed: Index<number> }
type Orders = EntityDeclaration<Order>;
type Options = { readonly conditions?: 5 | 6 | 7 | 8 } | undefined;
interface Source { query(options?: Options): EntityQuery<Order> }
interface Database { query(sql?: unknown, values?: unknown): any }
interface Search { query(options?: unknown): { orderBy(name: string): Search; first(ctx: unknown): string; limit(n: number): Search } }
declare class Pool { query(sql?: unknown): Promise<readonly string[]>; }
declare const given: { readonly options: Options; make(): Options };
export const orders = Entity<Order>("orders");
export const carts = Entity<Order>("carts");
`;

/** Objects that lead to an entity that fw cannot follow: a parameter, and the object in the call. */
const entities = [
  ["e: Orders", "e"],
  ["e: Orders | undefined", "e!"],
  ["e: Orders | typeof carts", "e"],
  ["e: Pick<Orders, 'query'>", "e"],
  ["e: { readonly inner: Orders }", "e.inner"],
  ["e: Map<string, Orders>", 'e.get("a")!'],
  ["e: () => Orders", "e()"],
  ["e: Source", "e"],
  ["e: { query(o?: Options): EntityQuery<Order> }", "e"],
] as const;

const others = [
  ["e: Database", "e"],
  ["e: any", "e"],
  ["e: Pool", "e"],
  ["e: Search", "e"],
  ["e: { readonly inner: Database }", "e.inner"],
  ["e: { query(o?: unknown): string[] }", "e"],
  ["e: Map<string, Pool>", 'e.get("a")!'],
  ["e: () => Search", "e()"],
  ["e: URLSearchParams & { query(o: unknown): string }", "e"],
] as const;

const options = [
  "o",
  "undefined",
  "{}",
  "{ ...o }",
  "o ?? undefined",
  "o ? { conditions: 5 } : undefined",
  "given.options",
  "given.make()",
  "...([o] as const)",
  "(o as Options)!",
];

const reads = [
  (call: string) => `${call}.first(ctx);`,
  (call: string) => `${call}.orderBy("buyer").orderBy("placed").limit(5);`,
  (call: string) => `const q = ${call}; q.limit(2);`,
  (call: string) => `async () => (await Promise.all([${call}])).length;`,
];

/** Returns a function for each combination of an object, an argument of `query` and a read, one per line. */
function everyFunction(objects: readonly (readonly [string, string])[]): readonly string[] {
  return objects.flatMap(([parameter, object]) =>
    options.flatMap((argument) =>
      reads.map((read) => `(ctx: Context, o: Options, ${parameter}) => { ${read(`${object}.query(${argument})`)} }`),
    ),
  );
}

/** Returns the lines with queries that fw cannot follow. */
async function escapes(lines: readonly string[]): Promise<readonly string[]> {
  const code = lines.map((line, index) => (line.startsWith("(") ? `export const f${index} = ${line};` : line));
  await using app = await writeTypedApp(`-- a.ts --\n${head}${code.join("\n")}\n`);
  const analyzer = openAnalyzer(app.root);
  try {
    const { diagnostics } = await analyzer.analyze();
    const problems = [...diagnostics, ...(await analyzer.typeDiagnostics())];
    const at = problems.flatMap((each) => (each.code === "fw/query-escapes" ? [each.at.line] : []));
    return [...new Set(at)].map((line) => lines[line - head.split("\n").length] ?? "");
  } finally {
    analyzer.close();
  }
}

test("a query with any options on an entity that fw cannot follow is refused at its line", async () => {
  const functions = everyFunction(entities);
  expect(await escapes(functions)).toEqual(functions);
});

test("a method named query of another object is not refused, whatever its argument is", async () => {
  expect(await escapes(everyFunction(others))).toEqual([]);
});

test("a query without options in an object of a parameter is refused, and what is no query is not", async () => {
  const queries = [
    "(ctx: Context, e: { readonly inner: Orders }) => e.inner.query().first(ctx)",
    '(ctx: Context, e: { readonly inner: Orders }) => e.inner.query().where("buyer", "==", "a").first(ctx)',
  ];
  const otherCalls = [
    "(e: { readonly inner: Database }) => e.inner.query().rows",
    '(e: { where(a: string, b: string, c: string): string }) => e.where("a", "==", "b")',
  ];
  expect(await escapes([...queries, ...otherCalls])).toEqual(queries);
});

test("a helper is refused if one of its callers passes an entity that fw cannot follow", async () => {
  const helper = "(ctx: Context, o: Options, e: Orders) => e.query({}).first(ctx)";
  const followed = "export const a = (ctx: Context, o: Options) => { f0(ctx, o, orders); };";
  const unfollowed = "export const b = (ctx: Context) => { for (const e of [orders, carts]) f0(ctx, undefined, e); };";
  expect(await escapes([helper, followed])).toEqual([]);
  expect(await escapes([helper, followed, unfollowed])).toEqual([helper]);
});
