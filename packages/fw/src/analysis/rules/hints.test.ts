import { expect, test } from "vitest";
import { openAnalyzer } from "../index.ts";
import { writeTypedApp } from "../testing/typed-app.ts";

const head = `import { Alert, API, Auth, Bucket, Channel, Counter, Entity, Policy, Queue, rate, RequireRole, Role, Service, Subscribe, type Context, type EntityDeclaration, type ID, type Index } from "fw";
export const auth = Auth({ password: true });
export const Editor = Role("editor");
export const Admin = Role("admin");
export const CanEdit = RequireRole(Editor);
export const CanRead = Policy(() => undefined);
export const oncall = Channel("oncall", { email: "a@example.com" });
export const sales = Counter("made");
export const files = Bucket("files");
export const jobs = Queue<string>("jobs");
export interface Order { id: ID; status: Index<string> }
export const orders = Entity<Order>("orders");
const can = { edit: CanEdit, read: CanRead };
const both = [Editor, Admin] as const;
const team = [oncall];
enum Op { Edit = "edit" }
void can; void both; void team; void Op;
`;

async function problemsOf(code: string): Promise<readonly string[]> {
  await using app = await writeTypedApp(`-- shop/shop.ts --\n${head}${code}\n`);
  const analyzer = openAnalyzer(app.root);
  try {
    const { diagnostics } = await analyzer.analyze();
    return diagnostics.map(({ code: id, hint }) => `${id}: ${hint}`);
  } finally {
    analyzer.close();
  }
}

const repository = (modifier: string, entity = "this.entity"): string => `class Orders {
  ${modifier} entity: EntityDeclaration<Order>;
  constructor(entity: EntityDeclaration<Order>) { this.entity = entity; }
  open(ctx: Context) { return ${entity}.query().where("status", "==", "open").all(ctx); }
}
const all = new Orders(orders);
export const list = API("GET /orders", async (ctx): Promise<number> => (await all.open(ctx)).length);`;

const countRoute = (entity: string): string =>
  `export const count = API("GET /orders", (ctx): Promise<number> => ${entity}.query().count(ctx));`;
const guarded = (allow: string): string => `export const a = API("GET /a", (): number => 1, { allow: ${allow} });`;
const alert = (notify: string): string =>
  `export const slow = Alert("slow", { if: rate(sales).above(3), every: "5m", notify: ${notify} });`;

test.each([
  [
    "a computed member of policies",
    guarded("can[Op.Edit]"),
    "fw/policy-var: name one policy here, such as can.edit",
    guarded("can.edit"),
  ],
  [
    "a choice of two policies",
    guarded('process.env["X"] ? CanEdit : CanRead'),
    "fw/policy-var: decide inside one policy and name it here: export const CanEdit = Policy((ctx) => …)",
    `export const CanDo = Policy((ctx) => void ctx.maybeUser());\n${guarded("CanDo")}`,
  ],
  [
    "a choice that a constant holds",
    `const chosen = process.env["X"] ? CanEdit : CanRead;\n${guarded("chosen")}`,
    "fw/policy-var: decide inside one policy and name it here: export const CanEdit = Policy((ctx) => …)",
    `export const CanDo = Policy((ctx) => void ctx.maybeUser());\n${guarded("CanDo")}`,
  ],
  [
    "a call that returns a policy",
    `const pick = () => CanEdit;\n${guarded("pick()")}`,
    "fw/policy-var: name the policy itself, or its const: fw does not follow calls",
    `const pick = CanEdit;\n${guarded("pick")}`,
  ],
  [
    "roles that are spread",
    "export const Both = RequireRole(...both);",
    "fw/role-var: write each role by its name",
    "export const Both = RequireRole(Editor, Admin);",
  ],
  [
    "channels that are spread",
    alert("[...team]"),
    "fw/channel-binding: write each channel by its name",
    alert("[oncall]"),
  ],
  [
    "settings that are spread",
    'const LIMITS = { timeout: "10s" } as const;\nexport const line = Service({ traffic: { ...LIMITS } });',
    "fw/config-literal: write out each setting: fw reads settings from the source",
    'export const line = Service({ traffic: { timeout: "10s" } });',
  ],
  [
    "a counter that is declared in a condition",
    `export const slow = Alert("slow", { if: rate(Counter("x")).above(3), every: "5m", notify: [oncall] });`,
    "fw/package-level: declare it at the top level of the module: export const … = Counter(…)",
    `export const x = Counter("x");\nexport const slow = Alert("slow", { if: rate(x).above(3), every: "5m", notify: [oncall] });`,
  ],
  [
    "a repository whose entity can change",
    repository("public"),
    "fw/query-escapes: start the query with the entity's name, such as orders.query(), or pass the entity to a function of this application, or to a class that keeps it in a readonly field",
    repository("readonly"),
  ],
  [
    "an entity in a list",
    countRoute("[orders].at(0)!"),
    "fw/query-escapes: start the query with the entity's name, such as orders.query(), or pass the entity to a function of this application, or to a class that keeps it in a readonly field",
    countRoute("orders"),
  ],
])("%s is one problem, and its hint leads to code that passes", async (_what, code, hint, mended) => {
  expect(await problemsOf(code)).toEqual([hint]);
  expect(await problemsOf(mended)).toEqual([]);
});

test.each([
  ["of a bucket", "const { uploaded } = files;\nexport const s = Subscribe(uploaded, async () => {});"],
  ["of a queue, under another name", "const { dead: lost } = jobs;\nexport const s = Subscribe(lost, async () => {});"],
  ["of accounts", "export const { registered } = auth;\nexport const s = Subscribe(registered, async () => {});"],
])("an event that is taken out of a declaration by a pattern is followed: %s", async (_what, code) => {
  expect(await problemsOf(code)).toEqual([]);
});
