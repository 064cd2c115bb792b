import type { Spelling } from "./spelling.ts";

/** Other names of an entity inside a handler; `@` is the previous name. */
export const tables: readonly Spelling[] = [
  { use: "@" },
  { before: "const t# = @;", use: "t#" },
  { before: "let t# = @;", use: "t#" },
  { before: "let t#: any = other; t# = @;", use: "t#" },
  { before: "const t#: any = flag ? @ : other;", use: "t#" },
  { before: "const t# = { b: @ };", use: "t#.b" },
  { before: "const { b: t# } = { b: @ };", use: "t#" },
  { before: "const [t#] = [@];", use: "t#!" },
  { before: "const t# = [@][0]!;", use: "t#" },
  { before: "const t# = (() => @)();", use: "t#" },
  { before: "const give# = () => @;", use: "give#()" },
  { before: "const t# = [@].find(() => true)!;", use: "t#" },
  { before: "const t# = new Map([['a', @]]).get('a')!;", use: "t#" },
  { before: "class T# { b = @; }", use: "new T#().b" },
  { before: "const t# = await Promise.resolve(@);", use: "t#" },
  { before: "const t# = Object.freeze({ b: @ });", use: "t#.b" },
  { before: "const t# = @ ?? other;", use: "t#" },
  { before: "const { b: t# = other }: any = { b: @ };", use: "t#" },
  { before: "const { b: t# = @ }: any = {};", use: "t#" },
  { before: "const { c: _#, ...t# } = { b: @, c: 1 };", use: "t#.b" },
  { before: "const t# = Object.values({ b: @ })[0]!;", use: "t#" },
  { before: "const t# = Object.entries({ b: @ })[0]![1];", use: "t#" },
  { before: "let t#: any; if (flag) t# = @; else t# = other;", use: "t#" },
  { before: "let t#: any = other; switch (1) { default: t# = @; }", use: "t#" },
  { before: "let t#: any = other; try { t# = @; } finally { void 0; }", use: "t#" },
  { before: "let t#: any = other; (() => { t# = @; })();", use: "t#" },
  { before: "let t#: any = other; for (const each of [@]) t# = each;", use: "t#" },
  { before: "let t#: any = other; [t#] = [@];", use: "t#" },
  { before: "let t#: any = other; ({ t: t# } = { t: @ });", use: "t#" },
  { before: "const t#: any = ((given = @) => given)();", use: "t#" },
  { before: "const t#: any = (function* () { yield @; })().next().value;", use: "t#" },
  { before: "const t#: any = [...new Set([@])][0];", use: "t#" },
  { before: "const t# = [[@]].flat()[0]!;", use: "t#" },
  { before: "const t#: any = { b: other }; t#.b = @;", use: "t#.b" },
  { before: "const t#: any = {}; Object.assign(t#, { b: @ });", use: "t#.b" },
  { before: "const t#: any = new Proxy(@ as any, {});", use: "t#" },
  { before: "const t# = { get b() { return @; } };", use: "t#.b" },
  { before: "const t# = { b() { return @; } };", use: "t#.b()" },
  { before: "const t# = { ...{ b: @ } };", use: "t#.b" },
  { before: "const t#: any = Reflect.get({ b: @ }, 'b');", use: "t#" },
  { use: "(@ as any)" },
  { use: "@!" },
  { use: "(0, @)" },
  { use: "(flag ? @ : @)" },
  { before: "class T# { static b = @; }", use: "T#.b" },
  { before: "class T# { constructor(readonly b: any) {} }", use: "new T#(@).b" },
  { before: "class T# { get b() { return @; } }", use: "new T#().b" },
  { before: "const t#: any = []; t#.push(@);", use: "t#[0]" },
  { before: "const t# = ((given) => given)(@);", use: "t#" },
  { before: "const same# = <T>(given: T): T => given;", use: "same#(@)" },
  { before: "const key# = 'b' as const; const t# = { b: @ };", use: "t#[key#]" },
  { before: "const key#: string = String('b'); const t#: any = { b: @ };", use: "t#[key#]" },
];

/** Ways to obtain an entity before a handler. */
export const entitySources: readonly Spelling[] = [
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
  { before: 'import { again } from "./data.ts";', use: "again" },
  { before: 'import { list } from "./data.ts";', use: "list[0]!" },
  { before: 'import { give } from "./data.ts";', use: "give()" },
  { before: 'import { Tables } from "./data.ts";', use: "Tables.orders" },
  { before: 'import { frozen } from "./data.ts";', use: "frozen.orders" },
  { before: 'import { byName } from "./data.ts";', use: "byName.get('orders')!" },
  { before: 'const { orders } = await import("./data.ts");', use: "orders" },
  { before: 'const data = await import("./data.ts");', use: "data.orders" },
  { before: 'import { all } from "./data.ts"; const { orders: { query } } = all; const o = { query };', use: "o" },
  { before: 'import * as data from "./data.ts"; const { orders } = data;', use: "orders" },
  {
    before: 'import { orders } from "./again.ts";',
    use: "orders",
    files: { "again.ts": 'export * from "./data.ts";' },
  },
  {
    before: 'import { data } from "./again.ts";',
    use: "data.orders",
    files: { "again.ts": 'export * as data from "./data.ts";' },
  },
  {
    before: 'import { o } from "./again.ts";',
    use: "o",
    files: { "again.ts": 'import { orders } from "./data.ts";\nexport let o: any = orders;' },
  },
  {
    before: 'import { o } from "./again.ts";',
    use: "o",
    files: { "again.ts": 'import { orders, other } from "./data.ts";\nexport let o: any = other;\no = orders;' },
  },
  {
    before: 'import { Repository as R } from "./again.ts"; const r = new R();',
    use: "r.table",
    files: { "again.ts": 'import { orders } from "./data.ts";\nexport class Repository { table = orders; }' },
  },
  { before: 'import { orders } from "./data.ts"; const [t] = [orders];', use: "t" },
  { before: 'import { orders } from "./data.ts"; const o: any = { t: 1 }; o.t = orders;', use: "o.t" },
];

/** Ways to run a query of the entity `@` that needs an index. */
export const asks: readonly Spelling[] = [
  { use: 'return @.query().where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'return @["query"]().where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'return @.query?.().where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'const key = "query" as const; return @[key]().where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'const { query } = @; return query().where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'const begin = @.query; return begin().where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'let q = @.query().where("buyer", "==", "b"); q = q.orderBy("placed"); return q.all(ctx);' },
  { use: 'const q = @.query(); return [q][0]!.where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'const list = (t: any) => t.query().where("buyer", "==", "b").orderBy("placed").all(ctx); return list(@);' },
  {
    use: 'for (const t of [@] as any[]) return t.query().where("buyer", "==", "b").orderBy("placed").all(ctx); return [];',
  },
  { use: "return ask(@, ctx);" },
  { use: "return new Repository(@).list(ctx);" },
  {
    use: 'return (await Promise.all([@].map((t: any) => t.query().where("buyer", "==", "b").orderBy("placed").all(ctx)))).flat();',
  },
  { use: 'return @.query.call(undefined).where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'return @.query().where(...(["buyer", "==", "b"] as ["buyer", "==", string])).orderBy("placed").all(ctx);' },
  {
    use: 'const fields = { by: "buyer", sort: "placed" } as const; return @.query().where(fields.by, "==", "b").orderBy(fields.sort).all(ctx);',
  },
  { use: 'return @.query().orderBy("placed").where("buyer", "==", "b").all(ctx);' },
  { use: 'return (await @.query().where("buyer", "==", "b").orderBy("placed").page(ctx)).items;' },
  { use: 'return (await @.query().where("buyer", "==", "b").orderBy("placed").limit(2).page(ctx, undefined)).items;' },
  {
    use: 'const found: any[] = []; for await (const each of @.query().where("buyer", "==", "b").orderBy("placed").each(ctx)) found.push(each); return found;',
  },
  {
    use: 'const one = await @.query().where("buyer", "==", "b").orderBy("placed").first(ctx); return one ? [one] : [];',
  },
  { use: 'await @.query().where("buyer", "==", "b").where("placed", ">", 1).count(ctx); return [];' },
  { use: 'return @.query().where("buyer", "in", ["b", "c"]).orderBy("placed", "desc").all(ctx);' },
  { use: 'return @.query().where("buyer", "==", "b").orderBy("placed", "desc").all(ctx);' },
  { use: 'const down = "desc" as const; return @.query().where("buyer", "==", "b").orderBy("placed", down).all(ctx);' },
  {
    use: 'const down = flag ? "desc" : "asc"; return @.query().where("buyer", "==", "b").orderBy("placed", down).all(ctx);',
  },
  { use: 'let q = @.query().where("buyer", "==", "b"); if (flag) q = q.orderBy("placed"); return q.all(ctx);' },
  { use: 'let q = @.query(); if (flag) q = q.where("buyer", "==", "b"); return q.orderBy("placed").all(ctx);' },
  {
    use: 'let q: any = @.query(); for (const by of ["buyer"] as const) q = q.where(by, "==", "b"); return q.orderBy("placed").all(ctx);',
  },
  {
    use: 'let q: any = @.query(); for (const [by, is] of [["buyer", "b"]] as const) q = q.where(by, "==", is); return q.orderBy("placed").all(ctx);',
  },
  { use: 'const q = flag ? @.query().where("buyer", "==", "b") : @.query(); return q.orderBy("placed").all(ctx);' },
  {
    use: 'const q: any = ["buyer"].reduce((so: any, by) => so.where(by, "==", "b"), @.query()); return q.orderBy("placed").all(ctx);',
  },
  { use: 'const by = (q: any) => q.where("buyer", "==", "b"); return by(@.query()).orderBy("placed").all(ctx);' },
  {
    use: 'function sorted(q: any) { return q.orderBy("placed"); } return sorted(@.query().where("buyer", "==", "b")).all(ctx);',
  },
  { use: 'const q = { of: @.query().where("buyer", "==", "b") }; return q.of.orderBy("placed").all(ctx);' },
  { use: 'const { q } = { q: @.query().where("buyer", "==", "b") }; return q.orderBy("placed").all(ctx);' },
  {
    use: 'const q = await Promise.resolve({ q: @.query().where("buyer", "==", "b") }); return q.q.orderBy("placed").all(ctx);',
  },
  {
    use: 'const steps = [(q: any) => q.where("buyer", "==", "b"), (q: any) => q.orderBy("placed")]; return steps.reduce((q: any, step) => step(q), @.query()).all(ctx);',
  },
  {
    use: 'const field: string = String("placed"); return (@.query().where("buyer", "==", "b") as any).orderBy(field).all(ctx);',
  },
  { use: 'const q: any = @.query().where("buyer", "==", "b"); return q["orderBy"]("placed").all(ctx);' },
  {
    use: 'const q: any = @.query().where("buyer", "==", "b"); const step = "orderBy"; return q[step]("placed").all(ctx);',
  },
  {
    use: 'const q: any = @.query().where("buyer", "==", "b"); const step: string = String("orderBy"); return q[step]("placed").all(ctx);',
  },
  { use: 'const q: any = @.query().where("buyer", "==", "b"); const { all } = q.orderBy("placed"); return all(ctx);' },
  {
    use: 'const run = async (work: () => Promise<any[]>) => work(); return run(() => @.query().where("buyer", "==", "b").orderBy("placed").all(ctx));',
  },
  { use: 'const later = () => @.query().where("buyer", "==", "b"); return later().orderBy("placed").all(ctx);' },
  {
    use: 'const later = { begin: () => @.query() }; return later.begin().where("buyer", "==", "b").orderBy("placed").all(ctx);',
  },
  {
    use: 'class Q { begin() { return @.query(); } } return new Q().begin().where("buyer", "==", "b").orderBy("placed").all(ctx);',
  },
  { use: 'return Reflect.apply(@.query, undefined, []).where("buyer", "==", "b").orderBy("placed").all(ctx);' },
  { use: 'const q: any = @.query().where("buyer", "==", "b"); return q.orderBy.apply(q, ["placed"]).all(ctx);' },
  { use: "return ask2(@.query(), ctx);" },
  { use: "return new Sub(@).list(ctx);" },
  { use: "return lister(@)(ctx);" },
];

/** The module that exports helpers for `asks`. */
export const askFile = `import type { Context } from "fw";
export const ask = (t: any, ctx: Context): Promise<any[]> => t.query().where("buyer", "==", "b").orderBy("placed").all(ctx);
export const ask2 = (q: any, ctx: Context): Promise<any[]> => q.where("buyer", "==", "b").orderBy("placed").all(ctx);
export const lister = (t: any) => (ctx: Context): Promise<any[]> => t.query().where("buyer", "==", "b").orderBy("placed").all(ctx);
export class Repository {
  #table: any;
  constructor(table: any) { this.#table = table; }
  list(ctx: Context): Promise<any[]> { return this.#table.query().where("buyer", "==", "b").orderBy("placed").all(ctx); }
}
export class Base { constructor(protected table: any) {} list(ctx: Context): Promise<any[]> { return this.query().orderBy("placed").all(ctx); } query(): any { return this.table.query(); } }
export class Sub extends Base { override query(): any { return super.query().where("buyer", "==", "b"); } }`;
