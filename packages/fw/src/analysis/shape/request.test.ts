import { afterEach, describe, expect, test } from "vitest";
import { tries } from "../../lib/testing/tries.ts";
import type { Schema } from "../../model/schema.ts";
import { openChecker } from "../checker/checker.ts";
import { declarationsIn } from "../resolution/declarations.ts";
import { createResolver, type ResolvedType, type TypeResolver } from "../schema/schema.ts";
import { openProject, type Project } from "../source/project.ts";
import { generateApp } from "../testing/generated-app.ts";
import { openOracle } from "../testing/schema-oracle.ts";
import { sameSchema, schemaText } from "../testing/schema-text.ts";
import { writeTypedApp } from "../testing/typed-app.ts";
import { resolveUntilStable } from "../types/endpoints.ts";
import type { EndpointSite } from "./endpoint-site.ts";
import { type RequestFacts, requestOf } from "./request.ts";
import { responseOf } from "./response.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

interface Read {
  readonly request: ResolvedType<RequestFacts>;
  readonly response: ResolvedType<Schema> & { readonly inferred: boolean };
}

interface Opened {
  readonly root: string;
  readonly project: Project;
  readonly resolver: TypeResolver;
  readonly endpoints: ReadonlyMap<string, Read>;
}

function sitesIn(project: Project): ReadonlyMap<string, EndpointSite> {
  const sites = new Map<string, EndpointSite>();
  for (const module of project.modules()) {
    for (const { name: kind, call, variable } of declarationsIn(project, module)) {
      const binding = variable === undefined ? undefined : module.bindings.get(variable);
      if ((kind !== "API" && kind !== "Page") || binding?.kind !== "variable") continue;
      const [route] = call.arguments;
      const text = route?.type === "Literal" ? String(route.value) : "{id}";
      const params = [...text.matchAll(/\{(\w+)\}/g)].map(([, param]) => param ?? "");
      sites.set(binding.name, { kind: kind === "API" ? "api" : "page", module, call, name: binding.node.id, params });
    }
  }
  return sites;
}

async function open(text: string): Promise<Opened> {
  const app = await writeTypedApp(text);
  const checker = openChecker(app.root);
  cleanups.push(
    () => checker.close(),
    async () => app[Symbol.asyncDispose](),
  );
  const project = openProject(app.root);
  const resolver = createResolver(project);
  const sites = [...sitesIn(project)];
  const requests = await resolveUntilStable(
    resolver,
    checker,
    sites.map(
      ([, site]) =>
        () =>
          requestOf(resolver, site),
    ),
  );
  const responses = await resolveUntilStable(
    resolver,
    checker,
    sites.map(
      ([, site]) =>
        () =>
          responseOf(resolver, site),
    ),
  );
  const endpoints = new Map<string, Read>();
  for (const [index, [name, site]] of sites.entries()) {
    const request = requests[index];
    const response = responses[index];
    if (request && response)
      endpoints.set(name, { request, response: { ...response, inferred: responseOf(resolver, site).inferred } });
  }
  return { root: app.root, project, resolver, endpoints };
}

interface Case {
  readonly head: string;
  readonly handler: string;
  readonly route?: string;
}

/** Reads endpoints of one application, each alone in the module `shop/api<index>.ts`. */
async function readAll(cases: readonly Case[]): Promise<readonly Read[]> {
  const modules = cases.map(
    ({ head, handler, route = "POST /things" }, i) =>
      `-- shop/api${i}.ts --\n${imports}\n${head}\nexport const it${i} = API("${route}", ${handler});\n`,
  );
  const { endpoints } = await open(modules.join(""));
  return cases.map((_, i) => {
    const found = endpoints.get(`it${i}`);
    if (!found) throw new Error("no endpoint");
    return found;
  });
}

/** Returns a function that reads the endpoint of a case in a table. Its first call reads all cases. */
function readsOf<T extends readonly unknown[]>(
  table: readonly T[],
  caseOf: (row: T) => Case,
): (row: T) => Promise<Read> {
  let all: Promise<readonly Read[]> | undefined;
  return async (row) => {
    const found = (await (all ??= readAll(table.map(caseOf))))[table.indexOf(row)];
    if (!found) throw new Error("no such case");
    return found;
  };
}

async function one(head: string, handler: string, route?: string): Promise<Read> {
  const [found] = await readAll([{ head, handler, ...(route !== undefined && { route }) }]);
  if (!found) throw new Error("no endpoint");
  return found;
}

const imports = `import { API, Page, type Blob, type Context, type Form, type HTML, type Int, type Int64, type Path, type Query } from "fw";`;

function parts(text: string): readonly string[] {
  return text.split(", ").toSorted();
}

function fields({ request }: Read): string {
  const { bound, body, carries } = request.value.shape;
  const marked = bound.map(({ source, property, wire, type, list, optional }) => {
    const literals = "literals" in type && type.literals ? `(${type.literals.join("|")})` : "";
    return `${property}${optional ? "?" : ""} = ${source} ${wire}: ${type.kind}${literals}${list ? "[]" : ""}`;
  });
  return [
    ...marked,
    ...body.map((each) => `${each.name}${each.optional ? "?" : ""}: ${schemaText(each.schema)}`),
    carries,
  ].join(", ");
}

describe("request types bind their fields by tag", () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    [
      "path, query and body together",
      "export interface R { id: Path; page?: Query<Int>; title: string }",
      "async (ctx, req: R) => {}",
      "id = path id: string, page? = query page: int, title: string, json",
    ],
    [
      "a name on the wire",
      `export interface R { id: Path<Int, "post_id">; deep?: Query<boolean, "is_deep"> }`,
      "async (ctx, req: R) => {}",
      "id = path post_id: int, deep? = query is_deep: boolean, nothing",
    ],
    [
      "a repeated parameter",
      "export interface R { tag?: Query<string[]>; kind: Form<string[]> }",
      "async (ctx, req: R) => {}",
      "tag? = query tag: string[], kind = form kind: string[], form",
    ],
    [
      "literals",
      `export interface R { s?: Query<"open" | "paid">; n: Query<1 | 2> }`,
      "async (ctx, req: R) => {}",
      "s? = query s: string(open|paid), n = query n: number(1|2), nothing",
    ],
    [
      "every scalar",
      "export interface R { a: Query; b: Query<boolean>; c: Query<Int>; d: Query<Int64>; e: Query<number> }",
      "async (ctx, req: R) => {}",
      "a = query a: string, b = query b: boolean, c = query c: int, d = query d: int64, e = query e: number, nothing",
    ],
    [
      "a file",
      "export interface R { file: Form<Blob>; alt?: Form }",
      "async (ctx, req: R) => {}",
      "file = form file: blob, alt? = form alt: string, multipart",
    ],
    ["a type literal in the signature", "", "async (ctx, { id }: { id: Path }) => {}", "id = path id: string, nothing"],
    ["an empty request", "export interface R {}", "async (ctx, req: R) => {}", "nothing"],
    [
      "a this, which is no argument",
      "export interface R { id: Path; t: string }",
      "async function (this: void, ctx: Context, req: R) { return req.t; }",
      "id = path id: string, t: string, json",
    ],
    [
      "a rest parameter, which is several",
      "export interface R { id: Path; t: string }",
      "async (...[ctx, req]: [Context, R]) => req.t",
      "id = path id: string, t: string, json",
    ],
    [
      "renamed imports",
      `import type { Query as Q } from "fw"; import type * as fw from "fw"; export interface R { a: Q<Int>; b: fw.Query<fw.Int64> }`,
      "async (ctx, req: R) => {}",
      "a = query a: int, b = query b: int64, nothing",
    ],
    [
      "aliases of bindings",
      "type Cursor = Query<string>; type Paged<T> = { after?: Cursor; limit?: Query<Int> } & T; export type R = Paged<{ id: Path }>",
      "async (ctx, req: R) => {}",
      "after? = query after: string, limit? = query limit: int, id = path id: string, nothing",
    ],
    [
      "generics",
      "interface Ref<T extends string | number> { id: Path<T> } export type R = Ref<Int>",
      "async (ctx, req: R) => {}",
      "id = path id: int, nothing",
    ],
    [
      "Pick, Omit, Partial, intersections, extends",
      "interface Base { id: Path; a: Query; b: Query<Int>; c: string } export interface R extends Omit<Base, 'a'>, Partial<Pick<Base, 'a'>> { d: number }",
      "async (ctx, req: R) => {}",
      "d: number, id = path id: string, b = query b: int, c: string, a? = query a: string, json",
    ],
    [
      "keys renamed by a mapped type, through the checker",
      "interface Base { id: Path; q?: Query<'a' | 'b'> } type Up<T> = { [K in keyof T as Capitalize<string & K>]: T[K] }; export type R = Up<Base>",
      "async (ctx, req: R) => {}",
      "Id = path Id: string, Q? = query Q: string(a|b), nothing",
    ],
    [
      "a handler declared elsewhere in the file",
      "export interface R { id: Path; t: string }\nasync function h(ctx: Context, req: R) { return 1; }",
      "h",
      "id = path id: string, t: string, json",
    ],
    [
      "a handler held by a const",
      "export interface R { id: Path }\nconst h = async (ctx: Context, req: R) => 1;",
      "h",
      "id = path id: string, nothing",
    ],
    [
      "a handler made by a call, through the checker",
      "export interface R { id: Path; n: Query<Int> }\nfunction make<T>(f: (ctx: Context, req: T) => Promise<number>) { return f; }",
      "make<R>(async () => 1)",
      "id = path id: string, n = query n: int, nothing",
    ],
    [
      "a handler under satisfies, through the checker",
      "export interface R { id: Path; n: Query<Int>; t: string }\ntype Handler<Q> = (ctx: Context, req: Q) => unknown;",
      "((_ctx, req) => req.t) satisfies Handler<R>",
      "id = path id: string, n = query n: int, t: string, json",
    ],
    [
      "a handler held by a const under satisfies, through the checker",
      "export interface R { id: Path; t: string }\ntype Handler<Q> = (ctx: Context, req: Q) => unknown;\nconst h = ((_ctx, { t }) => t) satisfies Handler<R>;",
      "h",
      "id = path id: string, t: string, json",
    ],
    [
      "lists of literals, and patterns of text",
      "enum Size { S = 's', M = 'm' } export interface R { size: Query<Size[]>; day?: Form<('mon' | 'tue')[]>; key: Query<`k_${string}`> }",
      "async (ctx, req: R) => {}",
      "size = query size: string(s|m)[], day? = form day: string(mon|tue)[], key = query key: string, form",
    ],
    [
      "fields that must be absent",
      "export interface R { id: Path; a: null; b?: never; c: undefined }",
      "async (ctx, req: R) => {}",
      "id = path id: string, a: null, b?: never, c?: never, json",
    ],
    [
      "a handler as a member, through the checker",
      "export interface R { id: Path; t?: string }\nconst hs = { h: async (ctx: Context, req: R) => 1 };",
      "hs.h",
      "id = path id: string, t?: string, json",
    ],
  ];
  const readOf = readsOf(cases, ([, head, handler, expected]) => {
    const parameter = /path (\w+)/.exec(expected)?.[1];
    return { head, handler, route: parameter === undefined ? "POST /t" : `POST /t/{${parameter}}` };
  });
  test.for(cases)("%s", async (row) => {
    const [, , , expected] = row;
    const found = await readOf(row);
    expect(found.request.refusals).toEqual([]);
    expect(found.request.value.faults).toEqual([]);
    expect(parts(fields(found))).toEqual(parts(expected));
  });

  test("a request without an annotation has the route's parameters as text", async () => {
    expect(fields(await one("", "async (ctx, req) => req.id", "GET /t/{id}"))).toBe("id = path id: string, nothing");
  });

  test("a handler without a request has no fields", async () => {
    expect(fields(await one("", "async () => 1", "GET /t/{id}"))).toBe("nothing");
  });

  test("a generic wrapper around a handler without a request leaves the route's parameters", async () => {
    const head = `function logged<Req, Res>(handle: (ctx: Context, req: Req) => Res) {
  return (ctx: Context, req: Req): Res => (ctx.log.info("called"), handle(ctx, req));
}`;
    const found = await one(head, "logged(() => 1)", "GET /t/{id}");
    expect([fields(found), found.request.refusals]).toEqual(["id = path id: string, nothing", []]);
    const typed = await one(head, "logged((_ctx, { id }: { id: Path<Int> }) => id)", "GET /t/{id}");
    expect([fields(typed), typed.request.refusals]).toEqual(["id = path id: int, nothing", []]);
  });

  test("type arguments of the declaration win", async () => {
    const { endpoints } = await open(
      `-- shop/api.ts --\n${imports}\nexport const it = API<"GET /t/{id}", { id: Path<Int> }, string>("GET /t/{id}", async (ctx, req) => "x");\n`,
    );
    const found = endpoints.get("it");
    expect(found && fields(found)).toBe("id = path id: int, nothing");
    expect(found && schemaText(found.response.value)).toBe("string");
  });
});

describe("what is wrong with a request is a fact with a position", () => {
  test("an unexported named type", async () => {
    const found = await one("interface R { id: Path }", "async (ctx, req: R) => {}", "POST /t/{id}");
    expect(found.request.value.unexported).toMatchObject({
      name: "R",
      at: { path: "shop/api0.ts", line: 2, column: 11 },
    });
  });

  test("a list in the path, an unsupported type, a list of dates, a file outside a form", async () => {
    const head = "export interface R { p: Path<string[]>;\n q: Query<Date>;\n n: Query<Date[]>;\n f: Query<Blob> }";
    const { request } = await one(head, "async (ctx, req: R) => {}");
    const found = request.value.faults.map(
      ({ kind, property, type, at }) => `${at.line}:${at.column} ${property} ${kind} ${type}`,
    );
    expect(found).toEqual([
      "2:22 p single-value a list",
      "3:2 q unsupported Date",
      "4:2 n list-of-others a list of Date",
      "5:2 f file-outside-form Blob",
    ]);
  });

  test("a name on the wire that is no constant, and a marker inside a field", async () => {
    const head =
      'export interface R { a: Query<Int, string>;\n b: Query<Int, "x" | "y">;\n c: { q: Query };\n d: Int[] }';
    const { request } = await one(head, "async (ctx, req: R) => {}");
    const found = request.value.faults.map(({ kind, property, at }) => `${at.line}:${at.column} ${property} ${kind}`);
    expect(found).toEqual(["2:22 a unknown-name", "3:2 b unknown-name", "4:7 c nested"]);
  });

  test("untagged fields and files, each at its declaration", async () => {
    const { request } = await one("export interface R {\n a: string;\n file: Blob }", "async (ctx, req: R) => {}");
    expect(request.value.untagged).toMatchObject([
      { name: "a", blob: false, at: { line: 3, column: 2 } },
      { name: "file", blob: true, at: { line: 4, column: 2 } },
    ]);
  });

  test("a body field of a type that cannot be sent is refused at its declaration", async () => {
    const { request } = await one(
      "export interface R {\n a: { deep: Map<string, string> };\n b: () => void }",
      "async (ctx, req: R) => {}",
    );
    expect(request.refusals).toMatchObject([
      {
        at: { line: 3, column: 7 },
        message: "Map cannot be received as JSON",
        hint: "write Record<string, T>, or an array of pairs",
      },
      { at: { line: 4, column: 2 }, message: "a function cannot be received as JSON" },
    ]);
  });

  const others = [["string"], ["string[]"], ["Record<string, string>"], ["{ a: 1 } | { b: 2 }"], ["any"]] as const;
  const readOf = readsOf(others, ([type]) => ({ head: "", handler: `async (ctx: Context, req: ${type}) => {}` }));
  test.for(others)("a request that is %s is refused", async (row) => {
    expect((await readOf(row)).request.refusals).toHaveLength(1);
  });
});

describe("response types", () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ["annotated with a promise", "interface A { a: string }", "async (): Promise<A> => ({ a: '' })", "&A"],
    ["annotated without a promise", "", "(): string[] => []", "string[]"],
    ["a promise behind an alias", "type P = Promise<{ a: Int }>", "(): P => Promise.resolve({ a: 1 })", "{ a: int }"],
    ["nothing", "", "async (): Promise<void> => {}", "void"],
    ["nothing, inferred", "", "async () => {}", "void"],
    ["a refusal, always", "", "() => { throw new Error(); }", "void"],
    ["a refusal, always, written", "", "async (): Promise<never> => { throw new Error(); }", "void"],
    ["nothing or something", "", "async (): Promise<string | undefined> => undefined", "string | void"],
    ["a file", "", "async (): Promise<Blob> => ({}) as Blob", "blob"],
    ["a file, inferred", "", "async () => ({}) as Blob", "blob"],
    ["a file of the request", "", "async (_ctx, { file }: { file: Form<Blob> }) => file", "blob"],
    [
      "patterns of text, inferred",
      "",
      "() => ({ id: crypto.randomUUID(), tag: `W/${Math.random()}` as const })",
      "{ id: text like *-*-*-*-*; tag: text like W/* }",
    ],
    [
      "what has the shape of a file",
      "",
      "() => ({ stream: () => new ReadableStream<Uint8Array>(), type: 'text/plain', size: 3 })",
      "blob",
    ],
    [
      "a method in its shape",
      "",
      "() => ({ stream() { return new ReadableStream<Uint8Array>(); }, type: 'a/b' })",
      "blob",
    ],
    [
      "an instance in its shape",
      "class Mine { type = 'a/b'; stream() { return new ReadableStream<Uint8Array>(); } }",
      "async () => new Mine()",
      "blob",
    ],
    ["a file with more", "declare const file: Blob", "() => Object.assign(file, { name: 'report.csv' })", "blob"],
    ["one file or another", "", "async (_ctx, { file }: { file: Form<Blob> }): Promise<Blob | File> => file", "blob"],
    [
      "inferred",
      "interface A { a: string } export interface B { b?: Int; as: A[] }",
      "async () => ({ x: 1, y: [{} as B], z: {} as A, w: null, u: 'a' as 'a' | 'b' })",
      '{ x: number; y: { b?: int; as: { a: string }[] }[]; z: { a: string }; w: null; u: "a" | "b" }',
    ],
    [
      "inferred, all names exported",
      "export interface A { a: string } export interface B { b?: Int; as: A[] }",
      "async () => ({ x: true, y: [{} as B], d: new Date() })",
      "{ x: boolean; y: &B[]; d: date }",
    ],
    [
      "inferred through a class method and a conditional type",
      "class S { find() { return { a: [1] as const, b: {} as Awaited<Promise<{ q: 'x' }>> }; } }",
      "async () => new S().find()",
      '{ a: [1]; b: { q: "x" } }',
    ],
  ];
  const readOf = readsOf(cases, ([, head, handler]) => ({ head, handler }));
  test.for(cases)("%s", async (row) => {
    const { response } = await readOf(row);
    expect(response.refusals).toEqual([]);
    expect(schemaText(response.value)).toBe(row[3]);
  });

  const refused: readonly (readonly [string, string])[] = [
    ["async () => new Map<string, number>()", "Map cannot be sent as JSON"],
    ["async () => ({ f: () => 1 })", "a function cannot be sent as JSON"],
    ["async (): Promise<any> => 1", "any cannot be sent as JSON"],
    ["async () => JSON.parse('1')", "any cannot be sent as JSON"],
  ];
  const refusedRead = readsOf(refused, ([handler]) => ({ head: "", handler }));
  test.for(refused)("%s is refused at the handler", async (row) => {
    const { response } = await refusedRead(row);
    const path = `shop/api${refused.indexOf(row)}.ts`;
    expect(response.refusals).toMatchObject([{ message: row[1], at: { path, line: 3 } }]);
  });

  test("a page answers with HTML, and the checker is not asked", async () => {
    const { endpoints } = await open(
      `-- shop/api.ts --\n${imports}\nexport const it = Page("GET /", async () => ({}) as HTML);\n`,
    );
    expect(endpoints.get("it")?.response).toMatchObject({ value: { kind: "void" }, inferred: false });
  });
});

test(
  "on a generated application of many routes the classic checker agrees",
  async () => {
    const routes = tries(100);
    const generated = generateApp({ routes });
    const text = [...generated.files]
      .filter(([path]) => path !== "package.json")
      .map(([path, content]) => `-- ${path} --\n${content}`);
    const { root, endpoints } = await open(text.join("\n"));
    const oracle = openOracle(root, [...new Set(generated.routes.map(({ path }) => path))]);
    const wrong: string[] = [];
    for (const { path, variable, inferred } of generated.routes) {
      const found = endpoints.get(variable);
      const response = oracle.argument(path, variable, 1);
      const request = oracle.argument(path, variable, 0);
      const agrees =
        found !== undefined &&
        found.response.inferred === inferred &&
        found.response.refusals.length + found.request.refusals.length + found.request.value.faults.length === 0 &&
        sameSchema(found.response.value, found.response.types, response.schema, response.types) &&
        sameSchema(wholeRequest(found.request.value), found.request.types, request.schema, request.types);
      if (!agrees)
        wrong.push(
          `${variable}: ${found && fields(found)} -> ${found && schemaText(found.response.value)} against ${schemaText(response.schema)} and ${schemaText(request.schema)}`,
        );
    }
    expect(endpoints.size).toBe(routes);
    expect(wrong).toEqual([]);
  },
  tries(120_000),
);

/** Returns the request as one object, as the checker sees it. */
function wholeRequest({ shape }: RequestFacts): Schema {
  const bound = shape.bound.map(({ property, type, list, optional }) => {
    const literals = "literals" in type ? type.literals : undefined;
    const variants = literals?.map((value): Schema => ({ kind: "literal", value }));
    const scalar: Schema = variants ? { kind: "union", variants } : { kind: type.kind };
    return { name: property, schema: list ? ({ kind: "array", items: scalar } as const) : scalar, optional };
  });
  return { kind: "object", fields: [...bound, ...shape.body] };
}
