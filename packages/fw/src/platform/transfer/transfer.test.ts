import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tries } from "../../lib/testing/tries.ts";
import type { Definitions, Platform } from "../contract.ts";
import { openGcp } from "../gcp/open.ts";
import { makeBucket, onFake } from "../gcp/testing/fake.ts";
import { openLocal, type LocalPlatform } from "../local/open.ts";
import type { Fields, Value } from "../values.ts";
import { exportData } from "./export.ts";
import { importData } from "./import.ts";

const definitions: Definitions = {
  kinds: [{ kind: "row", properties: [], composites: [] }],
  buckets: ["files"],
};
const selection = { kinds: ["row"], buckets: ["files"], accounts: true };

let place: string;
let number = 0;
beforeAll(() => void (place = mkdtempSync(join(tmpdir(), "fw-transfer-"))));
afterAll(() => rmSync(place, { recursive: true }));

function fresh(): string {
  return join(place, String(++number));
}

async function openHere(): Promise<LocalPlatform> {
  return openLocal(fresh(), definitions, { temporary: true });
}

/** The content of a platform, with documents in the order of their ids. */
interface Content {
  readonly documents: readonly unknown[];
  readonly objects: readonly unknown[];
  readonly accounts: readonly unknown[];
}

async function contentOf({ entities, objects, accounts }: Platform): Promise<Content> {
  const { documents } = await entities.query({ kind: "row", filters: [], orders: [], limit: 1000 });
  const page = await objects.list("files", "", { limit: 1000 });
  return {
    documents: documents.map(({ id, fields, expires }) => ({ id, fields, expires })),
    objects: await Promise.all(
      page.objects.map(async ({ key, contentType, size }) => {
        const object = await objects.open("files", key);
        return { key, contentType, size, bytes: object && (await text(object.stream())) };
      }),
    ),
    accounts: (await accounts.list(1000, "")).accounts
      .map(({ id, email, name, emailVerified, disabled, claims }) => ({
        id,
        email,
        name,
        emailVerified,
        disabled,
        claims,
      }))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  };
}

const scalar: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>(
    null,
    true,
    false,
    0,
    -0,
    Number.NaN,
    Infinity,
    -Infinity,
    1.5,
    2 ** 53,
    "",
    "$date",
    "\u2028\0é😀",
  ),
  fc.double(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.string({ unit: "binary" }),
  fc.date({ min: new Date(0), max: new Date("9999-01-01"), noInvalidDate: true }),
);
const name = fc
  .oneof(fc.constantFrom("$date", "$obj", "a.b", "__x", "toString"), fc.string({ minLength: 1, maxLength: 8 }))
  .filter(
    (each) =>
      !each.startsWith("_fw") &&
      !/^__.*__$/.test(each) &&
      each !== "__proto__" &&
      !/\p{Surrogate}/u.test(each) &&
      !each.includes("\0"),
  );
const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(fc.oneof(scalar, fc.dictionary(name, scalar)), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const fields: fc.Arbitrary<Fields> = fc.dictionary(name, value, { maxKeys: 5 });

async function fill(platform: Platform, rows: readonly Fields[]): Promise<void> {
  for (const [i, row] of rows.entries()) await platform.entities.upsert({ kind: "row", id: `r ${i}` }, row);
  await platform.entities.upsert({ kind: "row", id: "ends/later" }, { n: 1n }, { expires: new Date("9000-01-01") });
  for (const [key, body] of [
    ["a/ü.txt", "bytes"],
    ["empty", ""],
  ] as const)
    await platform.objects.put("files", key, new Blob([body]).stream(), { contentType: "text/plain; charset=utf-8" });
  await platform.accounts.create({
    id: "ada",
    email: "ada@example.com",
    name: "Ada",
    emailVerified: true,
    claims: { roles: ["editor"], n: [1, null] },
  });
  await platform.accounts.create({ id: "bo", email: "bo@example.com", name: "", emailVerified: false, claims: {} });
  await platform.accounts.setDisabled("bo", true);
}

test("what one store exports another one imports, exactly, whatever the values are", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fields, { maxLength: 5 }), async (rows) => {
      const [from, to] = [await openHere(), await openHere()];
      await fill(from, rows);
      const directory = fresh();
      await exportData({ app: "app", platform: from, ...selection }, directory);
      const first = await importData(directory, { platform: to, ...selection });
      expect(first).toMatchObject({ created: { documents: rows.length + 1, objects: 2, accounts: 2 }, different: [] });
      expect(await contentOf(to)).toEqual(await contentOf(from));
      // A second import has nothing left to do.
      const again = await importData(directory, { platform: to, ...selection });
      expect(again).toMatchObject({
        created: { documents: 0, objects: 0, accounts: 0 },
        unchanged: rows.length + 5,
        different: [],
      });
      await Promise.all([from.close(), to.close()]);
    }),
    { numRuns: tries(8) },
  );
});

test("an account of one machine signs in on another with its password, and is as old as it was", async () => {
  const [from, to] = [await openHere(), await openHere()];
  const createdAccount = await from.accounts.create({
    email: "Ada@example.com",
    name: "",
    emailVerified: true,
    claims: {},
    password: "a good password",
  });
  const directory = fresh();
  const verifierOf = from.accounts.verifierOf.bind(from.accounts);
  await exportData({ app: "app", platform: from, ...selection, verifierOf }, directory);
  const take = to.accounts.take.bind(to.accounts);
  expect(await importData(directory, { platform: to, ...selection, take })).toMatchObject({ withoutPassword: 0 });
  expect(await to.accounts.checkPassword("ada@example.com", "a good password")).toEqual(createdAccount);
  await Promise.all([from.close(), to.close()]);
});

test("what is there already is left as it is, and named where it is something else", async () => {
  const [from, to] = [await openHere(), await openHere()];
  await fill(from, [{ n: 1 }]);
  const directory = fresh();
  await exportData({ app: "app", platform: from, ...selection }, directory);
  await to.entities.upsert({ kind: "row", id: "r 0" }, { n: 2 });
  await to.objects.put("files", "empty", new Blob(["not"]).stream(), { contentType: "text/plain" });
  await to.accounts.create({ email: "ada@example.com", name: "", emailVerified: false, claims: {} });
  const came = await importData(directory, { platform: to, ...selection });
  expect(came.different).toEqual([
    "the account of ada@example.com",
    'the document "r 0" of row',
    'the object "empty" of files',
  ]);
  expect((await to.entities.get({ kind: "row", id: "r 0" }))?.fields).toEqual({ n: 2 });
  await Promise.all([from.close(), to.close()]);
});

test("an export that is not whole, is damaged, or has what is not declared is refused before anything is written", async () => {
  const [from, to] = [await openHere(), await openHere()];
  await fill(from, [{ n: 1 }]);
  const directory = fresh();
  await exportData({ app: "app", platform: from, ...selection }, directory);
  const refusalFor = (target: Partial<typeof selection> = {}): Promise<unknown> =>
    importData(directory, { platform: to, ...selection, ...target });
  await expect(refusalFor({ kinds: [] })).rejects.toThrow(
    "documents/row.jsonl, which the application does not declare",
  );
  const lines = join(directory, "documents/row.jsonl");
  const whole = readFileSync(lines, "utf8");
  writeFileSync(lines, whole.slice(0, -10));
  await expect(refusalFor()).rejects.toThrow("row.jsonl has changed since the export");
  writeFileSync(lines, whole);
  rmSync(join(directory, "export.json"));
  await expect(refusalFor()).rejects.toThrow("is not a complete export: export.json is missing");
  expect(await contentOf(to)).toEqual({ documents: [], objects: [], accounts: [] });
  await expect(exportData({ app: "app", platform: from, ...selection }, directory)).rejects.toThrow("already exists");
  expect(readdirSync(place).filter((each) => each.endsWith(".partial"))).toEqual([]);
  await Promise.all([from.close(), to.close()]);
});

test.each(["objects/files/../../../outside", "../outside", "/etc/hostname", "objects/files/a\\b"])(
  "an export whose list names the file %j is refused, and no file outside of it is read",
  async (file) => {
    const [from, to] = [await openHere(), await openHere()];
    await fill(from, [{ n: 1 }]);
    const directory = fresh();
    await exportData({ app: "app", platform: from, ...selection }, directory);
    const list = join(directory, "objects/files.jsonl");
    const lines = readFileSync(list, "utf8").trim().split("\n");
    const crafted = lines.map((line) => `${JSON.stringify({ ...(JSON.parse(line) as object), file })}\n`).join("");
    writeFileSync(list, crafted);
    const path = join(directory, "export.json");
    const record = JSON.parse(readFileSync(path, "utf8")) as { files: Record<string, object> };
    const sha256 = createHash("sha256").update(crafted).digest("hex");
    const files = { ...record.files, "objects/files.jsonl": { lines: lines.length, sha256 } };
    writeFileSync(path, JSON.stringify({ ...record, files }));
    const importing = (): Promise<unknown> => importData(directory, { platform: to, ...selection });
    await expect(importing()).rejects.toThrow("is not a valid file name");
    writeFileSync(path, JSON.stringify({ ...record, files: { ...files, [`${file}.jsonl`]: { lines: 0, sha256 } } }));
    await expect(importing()).rejects.toThrow("is not a valid file name");
    expect((await contentOf(to)).objects).toEqual([]);
    await Promise.all([from.close(), to.close()]);
  },
);

test("an import says which document no index of the application can hold", async () => {
  const from = await openHere();
  await from.entities.insert({ kind: "row", id: "long" }, { title: "x".repeat(2000) });
  const directory = fresh();
  await exportData({ app: "app", platform: from, ...selection }, directory);
  await from.close();
  const kinds = [{ kind: "row", properties: [{ name: "title" }], composites: [] }];
  const to = await openLocal(fresh(), { ...definitions, kinds }, { temporary: true });
  await expect(importData(directory, { platform: to, ...selection })).rejects.toMatchObject({
    code: "data",
    message: expect.stringContaining(
      'documents/row.jsonl has a document that the application cannot store: row "long"',
    ),
  });
  await to.close();
});

test("the data of one machine goes into the cloud and comes back as it was", async () => {
  const on = await onFake();
  const { fake, cloud, place: at, account } = on;
  for (const role of ["roles/datastore.user", "roles/firebaseauth.admin", "roles/storage.objectUser"])
    fake.grant(`serviceAccount:${account}`, role);
  await makeBucket(on, "files");
  const [from, back] = [await openHere(), await openHere()];
  await fill(from, fc.sample(fields, { numRuns: 20, seed: 7 }));
  await from.accounts.create({
    id: "cy",
    email: "cy@example.com",
    name: "",
    emailVerified: true,
    claims: {},
    password: "a good password",
  });
  const [out, home] = [fresh(), fresh()];
  const verifierOf = from.accounts.verifierOf.bind(from.accounts);
  await exportData({ app: "app", platform: from, ...selection, verifierOf }, out);
  const there = await openGcp(at, definitions, cloud);
  // Identity Platform cannot import the laptop's password hashes.
  expect(await importData(out, { platform: there, ...selection })).toMatchObject({ different: [], withoutPassword: 1 });
  expect(await contentOf(there)).toEqual(await contentOf(from));
  await exportData({ app: "app", platform: there, ...selection }, home);
  await importData(home, { platform: back, ...selection });
  expect(await contentOf(back)).toEqual(await contentOf(from));
  await there.close();
  await Promise.all([from.close(), back.close()]);
});
