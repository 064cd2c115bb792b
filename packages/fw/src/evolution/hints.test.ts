import { expect, test } from "vitest";
import { useAppBench } from "../analysis/testing/app-bench.ts";
import { openChecker } from "../analysis/checker/checker.ts";
import { writeTypedApp } from "../analysis/testing/typed-app.ts";
import { printLine } from "../cli/print/text.ts";
import { hintGaps, hintSites } from "../lib/testing/hint-sites.ts";
import { needsAction, type Change } from "./change.ts";
import { compareVersions } from "./compare.ts";
import { recordedSchema } from "./recorded.ts";

const bench = useAppBench();

const head = `import { API, Auth, Bucket, Entity, Errorf, Feed, Job, Limit, Page, Queue, Redirect, reply, Role, RequireRole, Runner, Socket, Worker, type ID, type Index, type Int, type MaxLength, type Path, type Query, type Search, Tenant, type Unique } from "fw";
`;

async function changesBetween(before: string, after: string): Promise<readonly Change[]> {
  const versions = [];
  for (const source of [before, after]) {
    const { app, diagnostics } = await bench.analyze(`-- shop/shop.ts --\n${head}${source}\n`);
    expect(diagnostics).toEqual([]);
    versions.push(app);
  }
  const [old, now] = versions;
  if (old === undefined || now === undefined) throw new Error("there are two versions");
  return compareVersions(recordedSchema(old), now);
}

const orders = (fields: string, settings = ""): string =>
  `export const orders = Entity<{ id: ID; ${fields} }>("orders"${settings});`;
const typed = (type: string): string => `export const orders = Entity<{ id: ID } & (${type})>("orders");`;
const emails = (type: string, settings = ""): string =>
  `export const emails = Queue<${type}>("emails"${settings});\nexport const send = Worker(emails, () => {});`;
const api = (request: string, answer = "1", settings = ""): string =>
  `export const a = API("POST /a", (_ctx, _req: { ${request} }) => ${answer}${settings});`;

const orgs = `export const auth = Auth({ password: true });
export const orgs = Tenant("orgs", (_ctx, _user, { org }: { org: Path }) => ({ org }));
`;

/** Changes that need an action: the older version, the newer one, and newer ones that follow the hint. */
const actions: readonly (readonly [what: string, before: string, after: string, ...mended: string[]])[] = [
  ["an entity that is gone", orders("a: string"), "", orders("a: string")],
  ["a queue that is gone", emails("string"), "", emails("string")],
  ["a bucket that is gone", `export const files = Bucket("files");`, "", `export const files = Bucket("files");`],
  [
    "documents that get tenants",
    orgs + orders("a: string", `, { tenant: "shared" }`),
    orgs + orders("a: string", `, { tenant: orgs }`),
    `${orgs}${orders("a: string", `, { tenant: "shared" }`)}
export const own = Entity<{ id: ID; a: string }>("own-orders", { tenant: orgs });`,
  ],
  [
    "messages that get tenants",
    orgs + emails("string"),
    orgs + emails("string", `, { tenant: orgs }`),
    `${orgs}${emails("string")}
export const own = Queue<string>("own-emails", { tenant: orgs });
export const sendOwn = Worker(own, () => {});`,
  ],
  [
    "objects that get tenants",
    `${orgs}export const files = Bucket("files", { tenant: "shared" });`,
    `${orgs}export const files = Bucket("files", { tenant: orgs });`,
    `${orgs}export const files = Bucket("files", { tenant: "shared" });
export const own = Bucket("own-files", { tenant: orgs });
export const copy = Job("copy");
export const copies = Runner(copy, async (ctx) => {
  for await (const { key } of files.list(ctx)) await own.put(orgs.as(ctx, "acme"), key, await files.get(ctx, key));
});`,
  ],
  [
    "events of a feed that get tenants",
    `${orgs}export const changes = Feed<string>("changes", { tenant: "shared" });`,
    `${orgs}export const changes = Feed<string>("changes", { tenant: orgs });`,
    `${orgs}export const changes = Feed<string>("changes", { tenant: "shared" });
export const own = Feed<string>("own-changes", { tenant: orgs });`,
    `${orgs}export const changes = Feed<string>("own-changes", { tenant: orgs });`,
  ],
  [
    "counts of a limit that lose their tenants",
    `${orgs}export const posts = Limit("posts", "5/h", { tenant: orgs });`,
    `${orgs}export const posts = Limit("posts", "5/h", { tenant: "shared" });`,
    `${orgs}export const posts = Limit("all-posts", "5/h");`,
  ],
  [
    "counts of a limit in an application that gives up tenants",
    `${orgs}export const posts = Limit("posts", "5/h", { tenant: orgs });`,
    `export const auth = Auth({ password: true });\nexport const posts = Limit("posts", "5/h");`,
    `export const auth = Auth({ password: true });\nexport const posts = Limit("all-posts", "5/h");`,
  ],
  [
    "documents without a field",
    orders("amount: Int"),
    orders("total: Int"),
    orders("total: Int", ", { upgrade: { total: 0 } }"),
    orders("total: Int", `, { renamed: { total: "amount" } }`),
    orders("total?: Int"),
  ],
  [
    "documents without a field of a list",
    orders("lines: { name: string }[]"),
    orders("lines: { name: string; tax: Int }[]"),
    orders("lines: { name: string; tax: Int }[]", ", { upgrade: { lines: [] } }"),
    orders("lines: { name: string; tax?: Int }[]"),
  ],
  [
    "documents whose field was optional",
    orders("note?: string"),
    orders("note: string"),
    orders("note: string", `, { upgrade: { note: "" } }`),
    orders("note?: string"),
  ],
  [
    "documents whose field has another type",
    orders(`status: "open" | "paid"`),
    orders(`status: "open" | "sent"`),
    orders(`status: "open" | "sent"`, `, { upgrade: { status: "open" } }`),
    orders(`status: "open" | "sent" | "paid"`),
  ],
  [
    "documents of several types",
    typed(`{ kind: "a"; a: Int } | { kind: "b"; b: Int }`),
    typed(`{ kind: "a"; a: Int } | { kind: "c"; c: Int }`),
    `${typed(`{ kind: "a"; a: Int } | { kind: "b"; b: Int }`)}
export const others = Entity<{ id: ID; kind: "a" | "c" }>("others");
export const move = Job<{}>("move");
export const moves = Runner(move, async (ctx) => {
  for await (const { id, kind } of orders.query().each(ctx)) if (kind === "a") await others.put(ctx, { id, kind });
});`,
  ],
  [
    "messages of another type",
    emails("string"),
    emails("Int"),
    `${emails("string")}\nexport const numbers = Queue<Int>("numbers");\nexport const count = Worker(numbers, () => {});`,
  ],
  [
    "messages whose field was optional",
    emails("{ to?: string }"),
    emails("{ to: string }"),
    emails("{ to: string }", `, { upgrade: { to: "" } }`),
    emails("{ to?: string }"),
  ],
  [
    "messages with a field that another alternative declares with another type",
    emails("{ part: { b: boolean } }"),
    emails("{ part: { a?: Int } | { b: string } }"),
    emails("{ part: { a?: Int } | { b: string } }", `, { upgrade: { part: {} } }`),
    emails("{ part: { a?: Int } | { b: string | boolean } }"),
  ],
  [
    "a rule that is gone",
    orders("a: Int", ", { upgrade: { a: 0 } }"),
    orders("a: Int"),
    orders("a: Int", ", { upgrade: { a: 0 } }"),
  ],
  [
    "an optional field that gets its earlier name back",
    orders("note?: string", `, { renamed: { note: "remark" } }`),
    orders("remark?: string"),
    orders("remark?: string", `, { renamed: { remark: "note" } }`),
  ],
  ["a route that is gone", api("b: string"), "", api("b: string")],
  [
    "a route that is a page now",
    `export const a = API("GET /a", () => 1);`,
    `export const a = Page("GET /a", () => Redirect("/b"));`,
    `export const a = API("GET /a", () => 1);\nexport const b = Page("GET /b", () => Redirect("/a"));`,
  ],
  [
    "a route that admits fewer clients",
    `export const auth = Auth({ password: true });\n${api("b: string")}`,
    `export const auth = Auth({ password: true });\n${api("b: string", "1", ", { signIn: true }")}`,
    `export const auth = Auth({ password: true });\n${api("b: string")}
export const c = API("POST /c", (_ctx, _req: { b: string }) => 1, { signIn: true });`,
  ],
  [
    "a request that asks for more",
    api("b: string"),
    api("b: string; c: Int"),
    api("b: string; c?: Int"),
    `${api("b: string")}\nexport const more = API("POST /more", (_ctx, _req: { b: string; c: Int }) => 1);`,
  ],
  ["a request with a narrower type", api("b: string"), api("b: string & MaxLength<5>"), api("b: string")],
  [
    "an answer that clients do not know",
    api("b: string", `({ status: "open" as "open" | "paid" })`),
    api("b: string", `({ status: "open" as "open" | "paid" | "sent" })`),
    api("b: string", `({ status: "open" as "open" | "paid", more: "open" as "open" | "paid" | "sent" })`),
  ],
  [
    "an answer with another status",
    api("b: string", "({ c: 1 })"),
    api("b: string", "reply({ c: 1 }, { status: 201 })"),
    api("b: string", "({ c: 1 })"),
    `${api("b: string", "({ c: 1 })")}\nexport const d = API("POST /d", () => reply({ c: 1 }, { status: 201 }));`,
  ],
  [
    "a way to sign in that is gone",
    `export const auth = Auth({ social: true, password: true });`,
    `export const auth = Auth({ social: true });`,
    `export const auth = Auth({ social: true, password: true });`,
  ],
];

const inner = (field: string): string =>
  `export const a = API("GET /a", (_ctx, _req: { ${field}: Query }) => 1, { private: true });`;

/** Changes that need no action. Their hints explain the consequences; the last one also says what to do. */
const passing: readonly (readonly [what: string, before: string, after: string, ...mended: string[]])[] = [
  ["a new index", orders("a: Int"), orders("a: Index<Int>")],
  ["a new search", orders("a: string"), orders("a: Search<string>")],
  ["an index that becomes unique", orders("a: Index<Int>"), orders("a: Unique<Int>")],
  [
    "a new composite index",
    orders("a: Index<Int>; b: Index<Int>"),
    `${orders("a: Index<Int>; b: Index<Int>")}
export const count = API("GET /c", async (ctx) => (await orders.query().where("a", "==", 1).orderBy("b").all(ctx)).length);`,
  ],
  ["an index of a field with a new rule", orders("a: Index<Int>"), orders("a: Index<Int>", ", { upgrade: { a: 0 } }")],
  [
    "an indexed field that a rule rewrites",
    orders("a: Index<string>"),
    orders("a: Index<Int>", ", { upgrade: { a: 0 } }"),
  ],
  ["documents that the old version cannot read", orders(`a: "b"`), orders(`a: "b" | "c"`)],
  [
    "an optional field with a new name",
    orders("remark?: string"),
    orders("note?: string", `, { renamed: { note: "remark" } }`),
  ],
  ["a private route that asks for more", inner("b?"), inner("b"), inner("b?")],
];

test.each(actions)("the hint for %s leads to a version that passes", async (_what, before, after, ...mended) => {
  const problems = (await changesBetween(before, after)).filter(needsAction);
  expect(problems.map(({ hint }) => hint)).toEqual([expect.any(String)]);
  expect(mended.length).toBeGreaterThan(0);
  for (const version of mended)
    expect((await changesBetween(before, version)).filter(needsAction), version).toEqual([]);
});

test.each(passing)("%s passes, with a hint", async (_what, before, after, ...mended) => {
  const changes = await changesBetween(before, after);
  expect(changes.filter(needsAction)).toEqual([]);
  expect(changes.map(({ hint }) => hint)).toContainEqual(expect.any(String));
  for (const version of mended) expect(await changesBetween(before, version)).toEqual([]);
});

test("buckets in records of builds that did not record tenants had none", async () => {
  const versions = [];
  for (const tenant of [`"shared"`, "orgs"])
    versions.push(
      await bench.analyze(
        `-- shop/shop.ts --\n${head}${orgs}export const files = Bucket("files", { tenant: ${tenant} });\n`,
      ),
    );
  const [before, after] = versions;
  if (before?.app === undefined || after?.app === undefined) throw new Error("there are two versions");
  const { separated: _, ...earlier } = recordedSchema(before.app);
  expect(compareVersions(earlier, before.app)).toEqual([]);
  const changes = compareVersions(earlier, after.app);
  expect(changes.map(({ verdict, message }) => [verdict, message])).toEqual([
    [
      "decision",
      'objects of the bucket "files" belong to no tenant and stay there, but the new version looks for those of tenants "orgs"',
    ],
  ]);
});

test("TypeScript accepts what the hints lead to", async () => {
  const files = [...actions, ...passing].flatMap(([, , after, ...mended], change) =>
    [...mended, ...(mended.length === 0 ? [after] : [])].map(
      (version, index) => `-- v${change}-${index}/shop.ts --\n${head}${version}\n`,
    ),
  );
  await using app = await writeTypedApp(files.join(""));
  const checker = openChecker(app.root);
  try {
    expect((await checker.diagnostics()).map(printLine)).toEqual([]);
  } finally {
    await checker.close();
  }
});

const sites = hintSites(
  ["data-changes.ts", "index-changes.ts", "client-changes.ts", "compare.ts"].map(
    (name) => new URL(name, import.meta.url),
  ),
  [{ name: "narrowing", message: 2, hint: 5 }],
);

test("every change has a hint that a test above has applied, or is a role that is gone", async () => {
  const changes = [];
  for (const [, before, after] of [...actions, ...passing]) changes.push(...(await changesBetween(before, after)));
  const hinted = sites.filter(({ message }) => !message.startsWith("the role"));
  expect(hinted.length).toBeGreaterThan(15);
  expect(hintGaps(hinted, changes)).toEqual([]);
});
