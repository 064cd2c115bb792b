import { existsSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeApp } from "../analysis/testing/app.ts";
import { readSchema } from "../evolution/recorded.ts";
import { openLocal } from "../platform/local/open.ts";
import { definitionsOf } from "../runtime/index.ts";
import { factorKind } from "../runtime/auth/account/kinds.ts";
import { fw, fwWith } from "./testing/run.ts";
import { shopDefinitions, shopSource } from "./testing/shop.ts";

test("fw data export and import take the data of an application to another directory, which they leave alone while a server runs or where it is a backup", async () => {
  const [app, other] = [await writeApp(shopSource), await writeApp(shopSource)];
  onTestFinished(async () => void (await Promise.all([app[Symbol.asyncDispose](), other[Symbol.asyncDispose]()])));
  await fwWith(["a good password"], app.root, "users", "create", "ada@example.com", "--password");
  const data = join(app.root, ".fw/data");
  const platform = await openLocal(data, shopDefinitions);
  await platform.entities.upsert({ kind: "orders", id: "a" }, { id: "a", total: 3 });
  await platform.objects.put("receipts", "a", new Blob(["paid"]).stream(), { contentType: "text/plain" });
  expect(await fw(app.root, "data", "export", "taken")).toMatchObject({
    code: 2,
    err: expect.stringContaining("a server is using this data; stop it first"),
  });
  await platform.close();

  const copied = join(app.root, "taken");
  expect(await fw(app.root, "data", "export", "taken")).toMatchObject({
    code: 0,
    out: expect.stringContaining("documents/orders.jsonl  1\n"),
  });
  expect(existsSync(join(copied, "export.json"))).toBe(true);
  expect(await fw(other.root, "data", "import", copied)).toEqual({
    code: 0,
    out: "1 documents, 1 objects and 1 accounts added; 0 already existed\n",
    err: "",
  });
  const there = await openLocal(join(other.root, ".fw/data"), shopDefinitions);
  expect((await there.entities.get({ kind: "orders", id: "a" }))?.fields).toEqual({ id: "a", total: 3 });
  expect(await there.accounts.checkPassword("ada@example.com", "a good password")).toBeDefined();
  await there.entities.upsert({ kind: "orders", id: "a" }, { id: "a", total: 4 });
  await there.close();
  expect(await fw(other.root, "data", "import", copied)).toMatchObject({
    code: 1,
    out: expect.stringContaining('the document "a" of orders exists with other contents and was not changed\n'),
  });

  writeFileSync(join(data, "backup.json"), "{}");
  const { err } = await fw(app.root, "data", "export", "again");
  expect(err).toContain("is a backup; restore it with fw restore, then export that data");
});

test("second factors go along with the passwords that they protect", async () => {
  const source = `-- package.json --
{ "name": "club", "type": "module" }
-- club/club.ts --
import { Auth, Subscribe } from "fw";
export const auth = Auth({ password: true, account: true });
export const sendMail = Subscribe(auth.mail, (ctx, { purpose }) => ctx.log.info("a mail", { purpose }));
`;
  const definitions = definitionsOf({ auth: { account: true } });
  const [app, other] = [await writeApp(source), await writeApp(source)];
  onTestFinished(async () => void (await Promise.all([app[Symbol.asyncDispose](), other[Symbol.asyncDispose]()])));
  await fwWith(["a good password"], app.root, "users", "create", "ada@example.com", "--password");
  const platform = await openLocal(join(app.root, ".fw/data"), definitions);
  const { id = "" } = (await platform.accounts.byEmail("ada@example.com")) ?? {};
  const factor = { secret: "x", isOn: true, lastStep: 7, recovery: ["y"] };
  await platform.entities.upsert({ kind: factorKind, id }, factor);
  await platform.close();
  await fw(app.root, "data", "export", "taken");
  await fw(other.root, "data", "import", join(app.root, "taken"));
  await fw(app.root, "data", "copy", ".fw/data", "copied", "--final");
  for (const data of [join(other.root, ".fw/data"), join(app.root, "copied")]) {
    const there = await openLocal(data, definitions);
    expect((await there.entities.get({ kind: factorKind, id }))?.fields).toEqual(factor);
    await there.close();
  }
});

test("an import names references to documents that exist neither in the export nor in the data", async () => {
  const source = (rule: string): string => `-- package.json --
{ "name": "shop", "type": "module" }
-- shop/shop.ts --
import { Entity, type ID, type Index, type Ref } from "fw";
export interface Client { id: ID }
export const clients = Entity<Client>("clients");
export interface Order { id: ID; client: Index<Ref<Client>>; others: Ref<Order>[] }
export const orders = Entity<Order>("orders"${rule});
`;
  const [app, other] = [await writeApp(source("")), await writeApp(source(', { onDelete: { client: "refuse" } }'))];
  onTestFinished(async () => void (await Promise.all([app[Symbol.asyncDispose](), other[Symbol.asyncDispose]()])));
  const indexed = { indexed: [{ name: "client", many: false }], indexes: [] };
  const definitions = definitionsOf({
    entities: [
      { name: "clients", id: "id", indexed: [], indexes: [] },
      { name: "orders", id: "id", ...indexed },
    ],
  });
  const data = join(app.root, ".fw/data");
  const platform = await openLocal(data, definitions);
  await platform.entities.upsert({ kind: "clients", id: "ann" }, {});
  await platform.entities.upsert({ kind: "orders", id: "o1" }, { client: "ann", others: ["o2", "o9"] });
  await platform.entities.upsert({ kind: "orders", id: "o2" }, { client: "bob", others: [] });
  await platform.close();
  await fw(app.root, "data", "export", "taken");
  const advice = "delete the referring documents, or change the ids in the field";
  const orphan = `1 reference in "client" of "orders" to documents that do not exist in "clients": "o2" to "bob"; ${advice}`;
  const note = `1 reference in "others" of "orders" to documents that do not exist in "orders": "o1" to "o9"; ${advice}`;
  expect(await fw(other.root, "data", "import", join(app.root, "taken"))).toEqual({
    code: 1,
    out: `3 documents, 0 objects and 0 accounts added; 0 already existed\n${orphan}\n${note}\n`,
    err: "",
  });
});

test("an old export is imported by rules of the new types, and refused with entity, id, field and line without them", async () => {
  const typed = (fields: string, rules = ""): string =>
    shopSource
      .replace("total: Int }", `total: Int; ${fields} }`)
      .replace(`Entity<Order>("orders")`, `Entity<Order>("orders"${rules})`);
  const [old, newer, withRule] = await Promise.all(
    [shopSource, typed("currency: string"), typed("currency: string", `, { upgrade: { currency: "EUR" } }`)].map(
      writeApp,
    ),
  );
  if (!old || !newer || !withRule) throw new Error("three applications were written");
  onTestFinished(async () => void (await Promise.all([old, newer, withRule].map((app) => app[Symbol.asyncDispose]()))));
  const platform = await openLocal(join(old.root, ".fw/data"), shopDefinitions);
  for (const id of ["a", "b"]) await platform.entities.upsert({ kind: "orders", id }, { id, total: 3 });
  await platform.close();
  const exportDirectory = join(old.root, "taken");
  expect(await fw(old.root, "data", "export", "taken")).toMatchObject({ code: 0 });

  const refusal = await fw(newer.root, "data", "import", exportDirectory);
  expect(refusal).toMatchObject({ code: 2, out: "" });
  expect(refusal.err).toContain(`\ndocuments/orders.jsonl:1: the document "a" of "orders" has no currency`);
  expect(refusal.err).toContain(`\ndocuments/orders.jsonl:2: the document "b" of "orders" has no currency`);
  expect((await fw(newer.root, "check-data")).out).toContain("0 documents");
  expect(readSchema(exportDirectory)?.entities["orders"]).toMatchObject({ id: "id" });

  expect(await fw(withRule.root, "data", "import", exportDirectory)).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^2 documents, 0 objects and 0 accounts added; 0 already existed\ndocuments of "orders" that need an upgrade or rename rule: 2$/m,
    ),
  });
});

test("a backup that was restored is exported and imported anywhere, outside of the application too", async () => {
  const app = await writeApp(shopSource);
  onTestFinished(() => app[Symbol.asyncDispose]());
  const elsewhere = await mkdtemp(join(tmpdir(), "fw-elsewhere-"));
  onTestFinished(() => rm(elsewhere, { recursive: true }));
  const at = (name: string): string => join(elsewhere, name);
  expect(await fw(app.root, "users", "create", "ada@example.com")).toMatchObject({ code: 0 });
  expect(await fw(app.root, "data", "export", at("first"))).toMatchObject({ code: 0 });
  const commands = [
    ["data", "import", at("first"), "--data", at("one")],
    ["backup", at("backup"), "--data", at("one")],
    ["restore", at("backup"), "--data", at("two")],
    ["data", "export", at("second"), "--data", at("two")],
    ["data", "import", at("second"), "--data", at("three")],
    ["users", "list", "--data", at("three")],
  ];
  for (const command of commands)
    expect({ command, ...(await fw(elsewhere, ...command)) }).toMatchObject({ code: 0, err: "" });
  expect((await fw(elsewhere, "users", "list", "--data", at("three"))).out).toContain("ada@example.com");
  expect(await fw(elsewhere, "data", "export", at("none"), "--data", at("nothing"))).toMatchObject({
    code: 2,
    err: expect.stringContaining("run this command in the application's directory"),
  });
});
