import { expect, test } from "vitest";
import { openAnalyzer } from "./index.ts";
import { writeTypedApp } from "./testing/typed-app.ts";

async function codes(line: string): Promise<readonly string[]> {
  const text = `-- a/a.ts --\nimport { API, Auth, Page, Policy, RequireRole, Role, Secret, Service, Site } from "fw";\nimport type { Query } from "fw";\n${line}\n`;
  await using app = await writeTypedApp(text);
  const analyzer = openAnalyzer(app.root);
  try {
    const { diagnostics } = await analyzer.analyze();
    return [...diagnostics, ...(await analyzer.typeDiagnostics())].map(({ code }) => code);
  } finally {
    analyzer.close();
  }
}

const editor = 'export const Editor = Role("editor");';

test.each([
  ["a request of any", `export const a = API("POST /a", (_ctx, req: any) => 1);`, "fw/wire-type"],
  ["a date in a query", `export const a = API("GET /a", (_ctx, req: { on: Query<Date> }) => 1);`, "fw/bind-type"],
  [
    "a profile that there is none of",
    `export const s = Service({ profile: "fast" });\nexport const a = API("GET /a", () => 1);`,
    "fw/config-literal",
  ],
  ["a list as a request", `export const a = API("POST /a", (_ctx, req: string[]) => 1);`, "fw/wire-type"],
  ["an Auth without a provider", "export const auth = Auth({\n  social: false,\n});", "fw/auth-provider"],
  ["an Auth without a config", "export const auth = Auth();", "fw/auth-provider"],
  ["a RequireRole without a role", "export const p = RequireRole();", "fw/empty-role"],
  ["a text as a role", 'export const p = RequireRole(\n  "editor",\n);', "fw/role-var"],
  [
    "a spread of roles",
    "declare const all: ReturnType<typeof Role>[];\nexport const p = RequireRole(...all);",
    "fw/role-var",
  ],
  ["a number as a role's name", "export const r = Role(7);", "fw/const-role"],
  ["a number as a secret's name", "export const s = Secret(7);", "fw/const-name"],
  [
    "a role as a policy",
    `${editor}\nexport const a = API("GET /a", () => 1, {\n  allow: Editor,\n});`,
    "fw/policy-var",
  ],
  [
    "a policy of another module that is not exported",
    `import { Open } from "./b.ts";\nexport const a = API("GET /a", () => 1, { allow: Open });\n-- a/b.ts --\nimport { Policy } from "fw";\nconst Open = Policy(() => undefined);`,
    "fw/unexported-policy",
  ],
  ["a function as a policy", `export const a = API("GET /a", () => 1, { allow: () => undefined });`, "fw/policy-var"],
  [
    "a policy of a private route",
    `${editor}\nexport const p = RequireRole(Editor);\nexport const a = API("GET /a", () => 1, {\n  allow: p,\n\n  private: true,\n});`,
    "fw/policy-private",
  ],
  [
    "a policy of a cached page",
    `${editor}\nexport const p = RequireRole(Editor);\nconst s = Site("./w", { build: { command: "x", out: "./w" } });\nexport const a = Page("GET /a", (ctx) => s.render(ctx, "a.html"), {\n  allow: p,\n\n  maxAge: "1m",\n});`,
    "fw/cache-signin",
  ],
])("%s is reported once, in the rule's words", async (_what, line, rule) => {
  expect(await codes(line)).toEqual([rule]);
});

test("TypeScript's reason why a response is any is reported beside it", async () => {
  expect(await codes(`export const a = API("GET /a", () => nobodyDeclaredThis());`)).toContain("ts2304");
});

test("an error of TypeScript on another line is reported beside a rule's", async () => {
  const line = `export const a = API("POST /a", (_ctx, req: any) => 1);\nexport const n: number = "text";`;
  expect(await codes(line)).toEqual(["fw/wire-type", "ts2322"]);
});

test("a rule that only a type breaks is reported as the rule, also beside another that breaks it", async () => {
  const found = await codes(
    `import { Entity, type ID } from "fw";\nexport const a = Entity<{ n: number }>("a");\nexport const b = Entity<{ id: ID | number }>("b");\nexport const c = API("GET /c", () => 1);`,
  );
  expect(found).toEqual(["fw/entity-id", "fw/entity-id"]);
});

test("a mistake that a rule tells at a field and its type at the call is told once", async () => {
  const found = await codes(
    `export interface Body {\n  note: string;\n}\nexport const get = API("GET /a", (_ctx, req: Body) => req.note);`,
  );
  expect(found).toEqual(["fw/body-on-get"]);
});
