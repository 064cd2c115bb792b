import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeApp, type WrittenApp } from "../../analysis/testing/app.ts";
import { recordedSchema, schemaFile, schemaText } from "../../evolution/recorded.ts";
import { Workspace } from "../../workspace/workspace.ts";
import { fw } from "../testing/run.ts";

const packageDir = fileURLToPath(new URL("../../..", import.meta.url));

const first = `
import { API, Auth, Bucket, Entity, Queue, Role, Socket, Worker, type ID, type Index, type Int, type Path, type Ref, type Search } from "fw";
export interface Line { name: string; sent?: Date }
export interface Order { id: ID; buyer: Index<string>; status: "open" | "paid"; lines: Line[]; amount: Int; note?: string }
export const orders = Entity<Order>("orders");
export interface Email { to: string; order?: string }
export const emails = Queue<Email>("emails");
export const send = Worker(emails, () => {});
export const photos = Bucket("photos");
export const auth = Auth({ social: true, password: true });
export const Editor = Role("editor");
export const find = API("GET /orders/{id}", (_ctx, { id }: { id: Path }) => ({ id, status: "open" as "open" | "paid" }));
export const make = API("POST /orders", (_ctx, _req: { buyer: string; total?: Int }) => {});
export const old = API("GET /old", () => "old");
`;

/** A substring of the first version, and its replacement in the next one. */
type Edit = readonly [before: string, after: string];

let app: WrittenApp;

beforeAll(async () => {
  app = await writeApp(`-- package.json --
{ "name": "shop", "type": "module", "dependencies": { "fw": "*" } }
-- tsconfig.json --
{ "compilerOptions": { "module": "nodenext", "strict": true, "noEmit": true, "allowImportingTsExtensions": true } }
-- .gitignore --
node_modules
-- shop/shop.ts --
${first}`);
  mkdirSync(join(app.root, "node_modules"));
  symlinkSync(packageDir, join(app.root, "node_modules/fw"));
  mkdirSync(join(app.root, "built"));
  writeFileSync(join(app.root, "built", schemaFile), await schemaOf(app.root));
});

afterAll(() => app?.[Symbol.asyncDispose]());

async function schemaOf(root: string): Promise<string> {
  const workspace = new Workspace({ root, env: {} });
  const { app: model } = await workspace.read({ types: false });
  workspace.close();
  return schemaText(recordedSchema(model));
}

interface Reported {
  readonly code: string;
  readonly verdict: string;
  readonly path: string;
  readonly line: number;
  readonly message: string;
  readonly before: string;
  readonly after: string;
}

/** Returns the differences that edits cause, and the exit code. */
async function changesOf(...edits: readonly Edit[]): Promise<{ readonly code: number; readonly changes: Reported[] }> {
  let text = first;
  for (const [before, after] of edits) {
    expect(text).toContain(before);
    text = text.replace(before, after);
  }
  writeFileSync(join(app.root, "shop/shop.ts"), text);
  const { code, out, err } = await fw(app.root, "check", "--against", "built", "--json");
  writeFileSync(join(app.root, "shop/shop.ts"), first);
  expect(err).toBe("");
  return { code, changes: (JSON.parse(out) as { changes: Reported[] }).changes };
}

/** Formats a line for each difference: rule, verdict, and both types. */
async function linesOf(...edits: readonly Edit[]): Promise<readonly string[]> {
  const { changes } = await changesOf(...edits);
  return changes.map(({ code, verdict, before, after }) => `${code} ${verdict} [${before}] [${after}]`);
}

const entity = `Entity<Order>("orders")`;
const rollback = "fw/evolve-rollback widening";

describe("fw check --against", () => {
  test("the same version has no differences", async () => {
    expect(await changesOf()).toEqual({ code: 0, changes: [] });
  });

  test.each<[what: string, edits: readonly Edit[], lines: readonly string[]]>([
    [
      "a required field that documents lack needs a decision",
      [["note?: string", "note?: string; currency: string"]],
      ["fw/evolve-document decision [] [currency: string]"],
    ],
    [
      "a field with an upgrade fits",
      [
        ["note?: string", "note?: string; currency: string"],
        [entity, `Entity<Order>("orders", { upgrade: { currency: "EUR" } })`],
      ],
      [],
    ],
    [
      "a declared new name of a field fits, and the old version cannot read it",
      [
        ["amount: Int", "total: Int"],
        [entity, `Entity<Order>("orders", { renamed: { total: "amount" } })`],
      ],
      ["fw/evolve-rollback contraction [amount: Int] []"],
    ],
    [
      "a declared new name of an optional field hides its values from the old version",
      [
        ["note?: string", "memo?: string"],
        [entity, `Entity<Order>("orders", { renamed: { memo: "note" } })`],
      ],
      ["fw/evolve-rollback contraction [note] [memo]"],
    ],
    [
      "a new name that is not declared is never guessed",
      [["amount: Int", "total: Int"]],
      ["fw/evolve-document decision [] [total: Int]", "fw/evolve-rollback contraction [amount: Int] []"],
    ],
    ["an optional field fits", [["note?: string", "note?: string; gift?: boolean"]], []],
    [
      "an optional field that becomes required needs a decision",
      [["note?: string", "note: string"]],
      ["fw/evolve-document decision [note?: string] [note: string]"],
    ],
    [
      "another alternative widens, and one that is gone needs a decision",
      [[`status: "open" | "paid"; lines`, `status: "open" | "sent"; lines`]],
      [`fw/evolve-document decision ["paid"] ["open" | "sent"]`, `${rollback} ["open" | "paid"] ["sent"]`],
    ],
    [
      "a field inside of a list is named by its path",
      [["sent?: Date", "sent?: string"]],
      ["fw/evolve-document decision [Date] [string]", `${rollback} [Date] [string]`],
    ],
    ["a field that is gone is still read by the old version", [["note?: string", "hint?: string"]], []],
    ["a new index needs a fill", [["amount: Int", "amount: Index<Int>"]], ["fw/evolve-index fill [] [Index]"]],
    ["a new search needs a fill", [["note?: string", "note?: Search<string>"]], ["fw/evolve-index fill [] [Search]"]],
    ["a Ref is stored as the id was", [["note?: string", "note?: Ref<Order>"]], []],
    [
      "an index of a field with a new rule holds only documents that were written since",
      [
        ["note?: string", "note?: string; currency: Index<string>"],
        [entity, `Entity<Order>("orders", { upgrade: { currency: "EUR" } })`],
      ],
      ["fw/evolve-index fill [] [Index]", "fw/evolve-index fill [] [currency]"],
    ],
    [
      "a message that waits has to fit",
      [["order?: string", "order: string"]],
      ["fw/evolve-message decision [order?: string] [order: string]"],
    ],
    [
      "a message with an upgrade fits",
      [
        ["order?: string", "order: string"],
        [`Queue<Email>("emails")`, `Queue<Email>("emails", { upgrade: { order: "none" } })`],
      ],
      [],
    ],
    [
      "what holds data and is gone needs a decision",
      [[`export const photos = Bucket("photos");`, ""]],
      [`fw/evolve-removed decision [Bucket("photos")] []`],
    ],
    ["a request that takes more fits", [["total?: Int })", "total?: Int; tip?: Int })"]], []],
    [
      "a request that takes less is refused to clients that worked",
      [["total?: Int })", "total: Int })"]],
      ["fw/evolve-request narrowing [body total?: Int] [body total: Int]"],
    ],
    [
      "an answer that says more than clients know narrows",
      [[`"open" as "open" | "paid"`, `"open" as "open" | "paid" | "sent"`]],
      [`fw/evolve-answer narrowing ["open" | "paid"] ["sent"]`],
    ],
    ["an answer that says less fits", [[`"open" as "open" | "paid"`, `"open" as const`]], []],
    [
      "a route that is gone, and one that admits fewer",
      [
        [`export const old = API("GET /old", () => "old");`, ""],
        [`total?: Int }) => {})`, `total?: Int }) => {}, { signIn: true })`],
      ],
      ["fw/evolve-route narrowing [api] []", "fw/evolve-request narrowing [public] [sign-in]"],
    ],
    [
      "a way to sign in that is gone narrows, and a role does not",
      [
        ["social: true, password: true", "social: true"],
        [`export const Editor = Role("editor");`, ""],
      ],
      ["fw/evolve-session narrowing [password] []", "fw/evolve-session compatible [editor] []"],
    ],
  ])("%s", async (_what, edits, lines) => {
    expect(await linesOf(...edits)).toEqual(lines);
  });

  test("a private route that refuses more counts only while services of both versions run", async () => {
    const inner = (field: string): void =>
      writeFileSync(
        join(app.root, "inner/inner.ts"),
        `import { API, type Query } from "fw";\nexport const ask = API("GET /inner", (_ctx, _req: { ${field}: Query }) => 1, { private: true });\n`,
      );
    for (const directory of ["inner", "private"]) mkdirSync(join(app.root, directory));
    inner("at?");
    writeFileSync(join(app.root, "private", schemaFile), await schemaOf(app.root));
    inner("at");
    const { code, out } = await fw(app.root, "check", "--against", "private");
    rmSync(join(app.root, "inner"), { recursive: true });
    expect(out).toMatch(/^inner\/inner\.ts:2:14: widening: GET \/inner refuses requests .* \(fw\/evolve-request\)$/m);
    expect([code, out]).toEqual([0, expect.stringContaining("1 difference in data and interfaces, none needs action")]);
  });

  test("a change that needs an action is a problem at its declaration, with both types and the way out", async () => {
    writeFileSync(join(app.root, "shop/shop.ts"), first.replace("amount: Int", "amount: Int; currency: string"));
    const text = await fw(app.root, "check", "--against", "built");
    const sarif = await fw(app.root, "check", "--against", "built", "--format", "sarif");
    writeFileSync(join(app.root, "shop/shop.ts"), first);
    expect(text.code).toBe(1);
    expect(text.out).toContain(
      'shop/shop.ts:5:14: documents of "orders" do not fit the new type at currency: nothing before, `currency: string` now (fw/evolve-document)',
    );
    expect(text.out).toContain("{ upgrade: { currency: … } }");
    expect(text.out).toContain("against built: 1 difference in data and interfaces, 1 needs action");
    const { runs } = JSON.parse(sarif.out) as { runs: { results: object[]; tool: { driver: { rules: object[] } } }[] };
    expect(runs[0]?.results).toMatchObject([{ ruleId: "fw/evolve-document" }]);
    expect(runs[0]?.tool.driver.rules).toContainEqual({
      id: "fw/evolve-document",
      shortDescription: { text: "Stored documents fit the new type of their entity" },
    });
  });

  test("a rule that was dropped may still be needed by documents that were never written since", async () => {
    const ruled = first.replace(entity, `Entity<Order>("orders", { upgrade: { amount: 0 } })`);
    writeFileSync(join(app.root, "shop/shop.ts"), ruled);
    mkdirSync(join(app.root, "ruled"), { recursive: true });
    writeFileSync(join(app.root, "ruled", schemaFile), await schemaOf(app.root));
    writeFileSync(join(app.root, "shop/shop.ts"), first);
    const { code, out } = await fw(app.root, "check", "--against", "ruled");
    expect(code).toBe(1);
    expect(out).toContain("upgrade.amount is gone");
  });

  test("another version is named by a git ref, also of uncommitted source", async () => {
    const git = (...args: string[]): void => {
      const author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
      expect(spawnSync("git", [...author, ...args], { cwd: app.root }).status).toBe(0);
    };
    git("init", "-q");
    git("add", "-A");
    git("commit", "-q", "-m", "first");
    writeFileSync(join(app.root, "shop/shop.ts"), first.replace("note?: string", "note: string"));
    const { code, out } = await fw(app.root, "check", "--against", "HEAD");
    writeFileSync(join(app.root, "shop/shop.ts"), first);
    expect([code, out]).toEqual([1, expect.stringContaining("(fw/evolve-document)")]);
    expect(spawnSync("git", ["status", "--porcelain"], { cwd: app.root, encoding: "utf8" }).stdout).not.toContain(
      "shop.ts",
    );
  });

  test("what is neither a directory with a schema nor a git ref is refused", async () => {
    expect(await fw(app.root, "check", "--against", "no-such-ref")).toMatchObject({
      code: 2,
      err: expect.stringContaining("neither a directory nor a commit, branch or tag"),
    });
    mkdirSync(join(app.root, "empty"), { recursive: true });
    expect(await fw(app.root, "check", "--against", "empty")).toMatchObject({
      code: 2,
      err: expect.stringContaining("has no recorded schema"),
    });
  });
});

test("the recorded schema is the same however the source is ordered, and says nothing of comments", async () => {
  const lines = first.trim().split("\n");
  const [head = "", ...others] = lines;
  writeFileSync(join(app.root, "shop/shop.ts"), `${head}\n/** Commented. */\n${others.toReversed().join("\n")}\n`);
  const reversed = await schemaOf(app.root);
  writeFileSync(join(app.root, "shop/shop.ts"), first);
  expect(reversed).toBe(await schemaOf(app.root));
});
