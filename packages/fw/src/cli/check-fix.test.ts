import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeTypedApp } from "../analysis/testing/typed-app.ts";
import { fw } from "./testing/run.ts";

const wrong = `-- tsconfig.json --
{ "compilerOptions": { "module": "nodenext", "strict": true, "noEmit": true, "allowImportingTsExtensions": true } }
-- shop/orders.ts --
import { API, Role, RequireRole, type Query } from "fw";
const LABELS = { open: "Open", paid: "Paid" };
const Editor = Role("editor");
const Admin = Role("admin");
const canEdit = RequireRole(Editor, Admin);
export const list = API("GET /orders", (_ctx, req: { page?: string; tags: string[] }) => req.tags, { alow: canEdit });
export const one = API("GET /orders/{id}", (_ctx, req: { id: string }) => ({ id: req.id }), { allow: canEdit });
export const canAdmin = RequireRole(Role("auditor"));
export const label = API("GET /label", (_ctx, req: { status: Query<"open" | "paid"> }) => LABELS[req.status]);
export const bad = API("GET /_fw/x", (): void => {});
`;

test("fw check --fix writes what is plain, once, and reports what is left", async () => {
  await using app = await writeTypedApp(wrong);
  const first = await fw(app.root, "check", "--fix");
  expect(first).toMatchObject({ code: 1, err: "fixed 8 problems in 1 file\n" });
  expect(first.out.match(/\(fw\/[\w-]+\)/g)).toEqual(["(fw/reserved-prefix)"]);
  const fixedText = readFileSync(join(app.root, "shop/orders.ts"), "utf8");
  expect(fixedText).toBe(`import { API, Role, RequireRole, type Query, type Path } from "fw";
const LABELS = { open: "Open", paid: "Paid" };
export const Editor = Role("editor");
export const Admin = Role("admin");
export const canEdit = RequireRole(Editor, Admin);
export const list = API("GET /orders", (_ctx, req: { page?: Query; tags: Query<string[]> }) => req.tags, { allow: canEdit });
export const one = API("GET /orders/{id}", (_ctx, req: { id: Path }) => ({ id: req.id }), { allow: canEdit });
export const auditor = Role("auditor");
export const canAdmin = RequireRole(auditor);
export const label = API("GET /label", (_ctx, req: { status: Query<"open" | "paid"> }) => LABELS[req.status as "open" | "paid"]);
export const bad = API("GET /_fw/x", (): void => {});
`);
  const again = await fw(app.root, "check", "--fix", "--json");
  expect(again).toMatchObject({ code: 1, err: "fixed 0 problems in 0 files\n" });
  expect(JSON.parse(again.out)).toMatchObject({ diagnostics: [{ code: "fw/reserved-prefix" }] });
  expect(readFileSync(join(app.root, "shop/orders.ts"), "utf8")).toBe(fixedText);
});
