/** Numbers that follow from a seed. */
export type Random = (below: number) => number;

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** A program that says something in odd ways: its files by name. */
export type Program = ReadonlyMap<string, string>;

/** One way to say something: code before it, and the expression that stands for it. `#` in it is a number of its own. */
interface Spelling {
  /** Code of the module, before it is used; `$` is what is spelled. */
  readonly before?: string;
  /** Code of the module, behind all declarations. */
  readonly after?: string;
  readonly use: string;
  /** Files beside the module, and the imports of them. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Other names of a function of `fw`; `$` is the name before. */
const aliases: readonly Spelling[] = [
  { use: "$" },
  { before: "const a# = $;", use: "a#" },
  { before: "let a# = $;", use: "a#" },
  { before: "var a# = $;", use: "a#" },
  { before: "let a# = $; a# = $;", use: "a#" },
  { before: "let a#: any; a# = $;", use: "a#" },
  { before: "let a#: any = fw.Page; [a#] = [$];", use: "a#" },
  { before: "let a#: any = fw.Page; ({ a: a# } = { a: $ });", use: "a#" },
  { before: "let a#: any = fw.Page; for (a# of [$]) void 0;", use: "a#" },
  { before: "const a# = $ as any;", use: "a#" },
  { before: "const a# = ($);", use: "a#!" },
  { before: "const a# = { b: $ };", use: "a#.b" },
  { before: "const a# = { b: $ } as const;", use: 'a#["b"]' },
  { before: "const a# = Object.freeze({ b: $ });", use: "a#.b" },
  { before: "const a# = { b: { c: $ } };", use: "a#.b.c" },
  { before: "const a# = Object.freeze({ b: Object.freeze({ c: $ }) });", use: "a#.b.c" },
  { before: "const k# = { b: $ }; const a# = { ...k# };", use: "a#.b" },
  { before: "const k# = { b: fw.Page }; const a# = { ...k#, b: $ };", use: "a#.b" },
  { before: "const k# = { b: $ }; const a# = { ...k#, b: fw.Page };", use: "a#.b" },
  { before: "const a#: any = { ['b']: $ };", use: "a#.b" },
  { before: "const a#: any = { [String('b')]: $ };", use: "a#.b" },
  { before: "const a#: any = { get b() { return $; } };", use: "a#.b" },
  { before: "const a#: any = {}; a#.b = $;", use: "a#.b" },
  { before: "const a#: any = { b: fw.Page }; a#.b = $;", use: "a#.b" },
  { before: "const a#: any = { b: fw.Page }; Object.assign(a#, { b: $ });", use: "a#.b" },
  { before: "const a# = [$];", use: "a#[0]!" },
  { before: "const a# = [fw.Page, $] as const;", use: "a#[1]" },
  { before: "const a#: any[] = [fw.Page]; a#.unshift($);", use: "a#[0]" },
  { before: "const a#: any[] = [...[$]];", use: "a#[0]" },
  { before: "const { b: a# } = { b: $ };", use: "a#" },
  { before: 'const { "b": a# } = { b: $ };', use: "a#" },
  { before: "const { b: { c: a# } } = { b: { c: $ } };", use: "a#" },
  { before: "const { b: a# = fw.Page }: any = { b: $ };", use: "a#" },
  { before: "const { b: a# = $ }: any = {};", use: "a#" },
  { before: "const { c: _#, ...a# }: any = { b: $, c: 1 };", use: "a#.b" },
  { before: "const [a#] = [$];", use: "a#" },
  { before: "const [, a#] = [fw.Page, $];", use: "a#" },
  { before: "const [[a#]] = [[$]];", use: "a#" },
  { before: "const [...a#] = [$];", use: "a#[0]!" },
  { before: "const a# = flag ? $ : $;", use: "a#" },
  { before: "const a#: any = flag ? $ : fw.Page;", use: "a#" },
  { before: "const a#: any = flag && $;", use: "a#" },
  { before: "const a#: any = $ || fw.Page;", use: "a#" },
  { before: "const a# = $ ?? $;", use: "a#" },
  { before: "", use: "(flag ? $ : $)" },
  { before: "", use: "(0, $)" },
  { before: "const a# = (0, $);", use: "a#" },
  { before: "const a#: any = $.bind(undefined);", use: "a#" },
  { before: "const a#: any = (...given: any[]) => ($ as any)(...given);", use: "a#" },
  { before: "function a#(...given: any[]): any { return ($ as any)(...given); }", use: "a#" },
  {
    before: "const a#: any = (route: any, ...given: any[]) => $.call(undefined, route, ...(given as [any]));",
    use: "a#",
  },
  { before: "const a#: any = (...given: any[]) => Reflect.apply($ as any, undefined, given);", use: "a#" },
  { before: "const give# = () => $;", use: "give#()" },
  { before: "function give#() { return $; }", use: "give#()" },
  { before: "const same# = <T>(one: T): T => one;", use: "same#($)" },
  { before: "const a# = [$].map((each) => each)[0]!;", use: "a#" },
  { before: "class A# { static b = $; }", use: "A#.b" },
  { before: "class A# { b = $; }", use: "new A#().b" },
  { before: "const a# = new Map<string, any>([['b', $]]);", use: "a#.get('b')" },
  { before: "const a# = await Promise.resolve($);", use: "a#" },
  { before: "const a# = Object.values({ b: $ })[0]!;", use: "a#" },
  { before: "const k# = 'b' as const; const a# = { b: $ };", use: "a#[k#]" },
  { before: "const k#: string = String('b'); const a#: any = { b: $ };", use: "a#[k#]" },
  { before: "const a# = { b: $ }; const c# = a#;", use: "c#.b" },
  { before: "const a#: any = { b: fw.Page }; const c# = a#; c#.b = $;", use: "a#.b" },
  { before: "let a#: any; { a# = $; }", use: "a#" },
  { before: "let a#: any; try { a# = $; } catch { a# = fw.Page; }", use: "a#" },
  { before: "let a#: any; switch (1) { default: a# = $; }", use: "a#" },
  { before: "export const a# = $;", use: "a#" },
  { before: 'export { x# as "odd name #" }; const x# = $;', use: "x#" },
];

/** Ways to have `API`; each makes files beside the module. */
const sources: readonly Spelling[] = [
  { before: 'import { API } from "fw";', use: "API" },
  { before: 'import { API as Route } from "fw";', use: "Route" },
  { before: "", use: "fw.API" },
  { before: "", use: 'fw["API"]' },
  { before: 'const key = "API";', use: "fw[key]" },
  { before: "const { API } = fw;", use: "API" },
  { before: "let { API: Route } = fw;", use: "Route" },
  { before: "const { Page: _, ...others } = fw;", use: "others.API" },
  { before: "const all = { ...fw };", use: "all.API" },
  { before: "const all = Object.assign({}, fw);", use: "all.API" },
  { before: 'const { API } = await import("fw");', use: "API" },
  { before: 'const all = await import("fw");', use: "all.API" },
  { before: 'import * as kit from "./kit.ts";', use: "kit.API", files: { "kit.ts": 'export * from "fw";' } },
  { before: 'import * as kit from "./kit.ts";', use: "kit.fw.API", files: { "kit.ts": 'export * as fw from "fw";' } },
  {
    before: 'import { Route } from "./kit.ts";',
    use: "Route",
    files: { "kit.ts": 'export { API as Route } from "fw";' },
  },
  {
    before: 'import { Route } from "./kit.ts";',
    use: "Route",
    files: { "kit.ts": 'import { API } from "fw";\nexport const Route = API;' },
  },
  {
    before: 'import { Route } from "./kit.ts";',
    use: "Route",
    files: { "kit.ts": 'import { API, Page } from "fw";\nexport let Route: any = Page;\nRoute = API;' },
  },
  {
    before: 'import { Route } from "./kit.ts";',
    use: "Route",
    files: { "kit.ts": 'import { API } from "fw";\nexport let Route = API;' },
  },
  {
    before: 'import kit from "./kit.ts";',
    use: "kit.API",
    files: { "kit.ts": 'import { API } from "fw";\nexport default { API };' },
  },
  {
    before: 'import kit from "./kit.ts";',
    use: "kit",
    files: { "kit.ts": 'import { API } from "fw";\nexport default API;' },
  },
  {
    before: 'import kit from "./kit.ts";',
    use: "kit.API",
    files: { "kit.ts": 'import * as fw from "fw";\nexport default fw;' },
  },
  {
    before: 'import { kit } from "./kit.ts";',
    use: "kit.API",
    files: { "kit.ts": 'import { API } from "fw";\nexport const kit: any = {};\nkit.API = API;' },
  },
  {
    before: 'import { kit } from "./kit.ts";',
    use: "kit.API",
    files: { "kit.ts": 'import { API } from "fw";\nexport const kit = Object.freeze({ API });' },
  },
  {
    before: 'import { give } from "./kit.ts";',
    use: "give()",
    files: { "kit.ts": 'import { API } from "fw";\nexport const give = () => API;' },
  },
  {
    before: 'const { Route } = await import("./kit.ts");',
    use: "Route",
    files: { "kit.ts": 'export { API as Route } from "fw";' },
  },
  {
    before: 'import { Route } from "./kit.ts";',
    use: "Route",
    files: {
      "kit.ts": 'export * from "./deep.ts";',
      "deep.ts": 'export { API as Route } from "fw";\nexport * from "./kit.ts";',
    },
  },
];

/** Ways to write the constant `$`, a text in quotes. */
const constants: readonly Spelling[] = [
  { use: "$" },
  { before: "const c# = $;", use: "c#" },
  { before: "let c# = $;", use: "c#" },
  { before: "let c# = 'GET /wrong-#'; c# = $;", use: "c#" },
  { before: "const c# = $.slice(0, 4);", use: "(c# + $.slice(4))" },
  { before: "const c# = `${$}`;", use: "c#" },
  { before: "const c# = $ + '';", use: "`${c#}`" },
  { before: "const c# = { r: $ };", use: "c#.r" },
  { before: "const c# = { r: $ } as const;", use: 'c#["r"]' },
  { before: "const c# = Object.freeze({ r: $ });", use: "c#.r" },
  { before: "const c# = { a: { r: $ } };", use: "c#.a.r" },
  { before: "const c# = [$];", use: "c#[0]!" },
  { before: "const c# = { a: [$] };", use: "c#.a[0]!" },
  { before: "const { r: c# } = { r: $ };", use: "c#" },
  { before: "const [c#] = [$];", use: "c#!" },
  { before: "const { r: c# = 'GET /wrong-#' }: { r?: string } = { r: $ };", use: "c#" },
  { before: "enum C# { r = $ }", use: "C#.r" },
  { before: "const c#: any = { r: 'GET /wrong-#' }; c#.r = $;", use: "c#.r" },
  { before: "const c#: any = { r: 'GET /wrong-#' }; c#['r'] = $;", use: "c#.r" },
  { before: "const c#: any = { r: 'GET /wrong-#' }; Object.assign(c#, { r: $ });", use: "c#.r" },
  { before: "const c#: any = { r: 'GET /wrong-#' }; const d# = c#; d#.r = $;", use: "c#.r" },
  { before: "const c#: any = { r: 'GET /wrong-#' }; let d# = c#; d#.r = $;", use: "c#.r" },
  { before: "const c#: any = { r: 'GET /wrong-#' }; (() => { c#.r = $; })();", use: "c#.r" },
  { before: "const c#: any = { r: 'GET /wrong-#' }; ((given: any) => { given.r = $; })(c#);", use: "c#.r" },
  { before: "const c#: any = { r: 'GET /wrong-#' }; ({ a: c#.r } = { a: $ });", use: "c#.r" },
  { before: "const c#: any = { r: 'GET /wrong-#' }; for (c#.r of [$]) void 0;", use: "c#.r" },
  { before: "const c#: any = { r: 'GET /wrong-#' }; Reflect.set(c#, 'r', $);", use: "c#.r" },
  { before: "const c#: any = { r: 'GET /wrong-#' }; [c#][0].r = $;", use: "c#.r" },
  { before: "const c#: any = { r: 'GET /wrong-#' }; const h# = { in: c# }; h#.in.r = $;", use: "c#.r" },
  { before: "const c#: any = { r: { s: 'GET /wrong-#' } }; c#.r = { s: $ };", use: "c#.r.s" },
  { before: "const c#: any = { r: { s: 'GET /wrong-#' } }; const { r: d# } = c#; d#.s = $;", use: "c#.r.s" },
  { before: "const c#: any = Object.freeze({ r: { s: 'GET /wrong-#' } }); c#.r.s = $;", use: "c#.r.s" },
  { before: "const c#: any = ['GET /wrong-#']; c#.unshift($);", use: "c#[0]" },
  { before: "const c#: any = ['GET /wrong-#', $]; c#.reverse();", use: "c#[0]" },
  { before: "const c#: any = ['GET /wrong-#', $]; c#.shift();", use: "c#[0]" },
  { before: "const c#: any = ['GET /wrong-#']; c#.splice(0, 1, $);", use: "c#[0]" },
  { before: "const c#: any = ['GET /wrong-#']; c#.push($); c#.shift();", use: "c#[0]" },
  { before: "const c#: any = ['GET /wrong-#']; [c#[0]] = [$];", use: "c#[0]" },
  { before: "const c# = flag ? $ : 'GET /wrong-#';", use: "c#" },
  { before: "const c# = true ? $ : 'GET /wrong-#';", use: "c#" },
  { before: "const c# = $ || 'GET /wrong-#';", use: "c#" },
  { before: "const c# = () => $;", use: "c#()" },
  { before: "const base# = { r: $ }; const c# = { ...base# };", use: "c#.r" },
  { before: "const base# = { r: 'GET /wrong-#' }; const c# = { ...base#, r: $ };", use: "c#.r" },
  { before: "const c# = { r: $ }; console.debug.length; Object.keys(c#);", use: "c#.r" },
  { before: "const c# = [$].at(0)!;", use: "c#" },
  { before: 'import { text as c# } from "./text#.ts";', use: "c#", files: { "text#.ts": "export const text = $;" } },
  {
    before: 'import { all as c# } from "./text#.ts";',
    use: "c#.r",
    files: { "text#.ts": "export const all = { r: $ };" },
  },
  {
    before: 'import { all as c# } from "./text#.ts";\nimport "./write#.ts";',
    use: "c#.r",
    files: {
      "text#.ts": "export const all: any = { r: 'GET /wrong-#' };",
      "write#.ts": 'import * as text from "./text#.ts";\ntext.all.r = $;',
    },
  },
  {
    before: 'import { text as c# } from "./text#.ts";',
    use: "c#",
    files: { "text#.ts": "export let text = 'GET /wrong-#';\ntext = $;" },
  },
];

/** Other names of an entity inside of a handler; `$` is the name before. */
const tables: readonly Spelling[] = [
  { use: "$" },
  { before: "const t# = $;", use: "t#" },
  { before: "let t# = $;", use: "t#" },
  { before: "let t#: any = other; t# = $;", use: "t#" },
  { before: "const t#: any = flag ? $ : other;", use: "t#" },
  { before: "const t# = { b: $ };", use: "t#.b" },
  { before: "const { b: t# } = { b: $ };", use: "t#" },
  { before: "const [t#] = [$];", use: "t#!" },
  { before: "const t# = [$][0]!;", use: "t#" },
  { before: "const t# = (() => $)();", use: "t#" },
  { before: "const give# = () => $;", use: "give#()" },
  { before: "const t# = [$].find(() => true)!;", use: "t#" },
  { before: "const t# = new Map([['a', $]]).get('a')!;", use: "t#" },
  { before: "class T# { b = $; }", use: "new T#().b" },
  { before: "const t# = await Promise.resolve($);", use: "t#" },
  { before: "const t# = Object.freeze({ b: $ });", use: "t#.b" },
  { before: "const t# = $ ?? other;", use: "t#" },
];

/** Where an entity comes from, before a handler. */
const entitySources: readonly Spelling[] = [
  { before: 'import { orders } from "./data.ts";', use: "orders" },
  { before: 'import { orders as o } from "./data.ts";', use: "o" },
  { before: 'import * as data from "./data.ts";', use: "data.orders" },
  { before: 'import data from "./data.ts";', use: "data" },
  { before: 'import { all } from "./data.ts";', use: "all.orders" },
  { before: 'import { all } from "./data.ts"; const { orders } = all;', use: "orders" },
  { before: 'import { orders } from "./data.ts"; const t = orders;', use: "t" },
  { before: 'import { orders } from "./data.ts"; let t = orders;', use: "t" },
  { before: 'import { orders, other as another } from "./data.ts"; let t: any = another; t = orders;', use: "t" },
  { before: 'import { all } from "./data.ts"; const name: string = String("orders");', use: "(all as any)[name]" },
];

/** Ways to ask the entity `$` for what needs an index. */
const asks: readonly Spelling[] = [
  { use: 'return $.query().where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'return $["query"]().where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'return $.query?.().where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'const key = "query" as const; return $[key]().where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'const { query } = $; return query().where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'const begin = $.query; return begin().where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'let q = $.query().where("buyer", "==", "b"); q = q.orderBy("placed"); return q.all(ctx);' },
  { use: 'const q = $.query(); return [q][0]!.where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'const list = (t: any) => t.query().where("buyer", "==", "b").orderBy("placed").all(ctx); return list($);' },
  {
    use: 'for (const t of [$] as any[]) return t.query().where("buyer", "==", "b").orderBy("placed").all(ctx); return [];',
  },
  { use: "return ask($, ctx);" },
  { use: "return new Repository($).list(ctx);" },
  {
    use: 'return (await Promise.all([$].map((t: any) => t.query().where("buyer", "==", "b").orderBy("placed").all(ctx)))).flat();',
  },
  { use: 'return $.query.call(undefined).where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'return $.query().where(...(["buyer", "==", "b"] as ["buyer", "==", string])).orderBy("placed").all(ctx);' },
  {
    use: 'const fields = { by: "buyer", sort: "placed" } as const; return $.query().where(fields.by, "==", "b").orderBy(fields.sort).all(ctx);',
  },
];

const askFile = `import type { Context } from "fw";
export const ask = (t: any, ctx: Context): Promise<any[]> => t.query().where("buyer", "==", "b").orderBy("placed").all(ctx);
export class Repository {
  #table: any;
  constructor(table: any) { this.#table = table; }
  list(ctx: Context): Promise<any[]> { return this.#table.query().where("buyer", "==", "b").orderBy("placed").all(ctx); }
}`;

export const spellings = [aliases, sources, constants, tables, entitySources, asks].reduce(
  (sum, { length }) => sum + length,
  0,
);

/** A program at random. Its routes and names have `id` in them. */
export function programOf(random: Random, id: string): Program {
  let count = 0;
  const files = new Map<string, string>();
  const before: string[] = [];
  const apply = (spelling: Spelling, what: string): { readonly before: string; readonly use: string } => {
    count += 1;
    const fill = (text: string): string =>
      text
        .replaceAll("#", `${count}`)
        .replaceAll("$", () => what)
        .replaceAll("wrong-", `wrong-${id}-`);
    for (const [name, text] of Object.entries(spelling.files ?? {}))
      files.set(
        fill(name),
        fill(text).replaceAll("$", () => what),
      );
    return { before: fill(spelling.before ?? ""), use: fill(spelling.use) };
  };
  /** The first of each list is the plain way: of all that a program says, most is said so. */
  const pick = <T>(from: readonly T[]): T => from[random(2) === 0 ? 0 : random(from.length)] as T;
  const spell = (spelling: Spelling, what: string): string => {
    const spelled = apply(spelling, what);
    before.push(spelled.before);
    return spelled.use;
  };
  let callee = spell(pick(sources), "");
  for (let times = random(3); times > 0; times -= 1) callee = spell(pick(aliases), callee);
  const route = spell(pick(constants), `"GET /${id}/a"`);
  const allow = pick(["", ", { allow: Closed }", ", { allow: doors.a }", ", { allow: changed.a }"]);
  if (allow.includes("changed")) before.push("const changed: any = { a: Open }; changed.a = Closed;");
  before.push("const doors = { a: Closed };");
  const entity = apply(pick(entitySources), "");
  let table = entity.use;
  const inside: string[] = [];
  for (let times = random(2); times > 0; times -= 1) {
    const next = apply(pick(tables), table);
    inside.push(next.before);
    table = next.use;
  }
  const body = `${inside.join(" ")} ${apply(pick(asks), table).use}`;
  files.set(
    "a.ts",
    [
      'import * as fw from "fw";',
      'import type { Context } from "fw";',
      'import { flag, other, Open, Closed } from "./data.ts";',
      ...(/\b(?:ask|Repository)\(/.test(body) ? ['import { ask, Repository } from "./ask.ts";'] : []),
      entity.before,
      ...before,
      `export const declared = ${callee}(${route}, async (ctx: Context): Promise<{ id: string }[]> => { ${body} }${allow});`,
      "void flag; void doors; void Open; void Closed; void other; void fw.blob;",
    ].join("\n"),
  );
  if (/\b(?:ask|Repository)\(/.test(body)) files.set("ask.ts", askFile);
  files.set(
    "data.ts",
    `import { Entity, Policy, type ID, type Index } from "fw";
export interface Order { id: ID; buyer: Index<string>; placed: Index<number> }
export const orders = Entity<Order>("orders-${id}");
export const other = Entity<Order>("other-${id}");
export default orders;
export const all = { orders, other };
export const Open = Policy(() => undefined);
export const Closed = Policy(() => undefined);
export const flag: boolean = Date.now() > 0;`,
  );
  return files;
}
