import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Definitions } from "../../contract.ts";
import { openLocal, type LocalPlatform } from "../open.ts";
import { restoringFile } from "../data-directory.ts";
import { openDatabase } from "../sqlite.ts";
import { backUp, readBackup } from "./backup.ts";
import { holdClosed } from "./lock-stopped.ts";
import { restoreData } from "./restore.ts";

const definitions: Definitions = {
  kinds: [{ kind: "row", properties: [{ name: "n" }], composites: [] }],
  buckets: ["files"],
};

/** The number of backups per run. */
const moments = Number(process.env["FW_TRIES"] ?? 1);
const seed = Number(process.env["FW_SEED"] ?? 1);
const now = new Date("2026-05-01T10:00:00Z");

let place: string;
beforeAll(() => void (place = mkdtempSync(join(tmpdir(), "fw-backup-"))));
afterAll(() => rmSync(place, { recursive: true }));

/**
 * Repeats three steps with increasing numbers: writes a pair of documents in a transaction, then an object, then an
 * account.
 */
class Writer {
  readonly id: string;
  begun = 0;
  done = 0;
  #over = false;

  constructor(id: string) {
    this.id = id;
  }

  stop(): void {
    this.#over = true;
  }

  async run({ entities, objects, accounts }: LocalPlatform): Promise<void> {
    for (let n = 1; !this.#over; n++) {
      await this.#step(async () => {
        const transaction = await entities.begin();
        for (const id of [this.id, `${this.id}-twin`])
          transaction.upsert({ kind: "row", id }, { n, check: String(n).padEnd(300_000, String(n)) });
        await transaction.commit();
      });
      // Each write after the first replaces the previous object, whose file is then deleted.
      await this.#step(async () => {
        const body = new Blob([`${this.id} ${n}`.padEnd(5_000, ".")]).stream();
        await objects.put("files", this.id, body, { contentType: "text/plain" });
      });
      await this.#step(async () => {
        const email = `${this.id}.${n}@example.com`;
        await accounts.create({ email, name: "", emailVerified: false, claims: { n } });
      });
    }
  }

  async #step(work: () => Promise<void>): Promise<void> {
    this.begun++;
    await work();
    this.done++;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

/** Returns how many of a writer's steps a store contains. Fails if an earlier one is missing. */
async function stepsIn({ entities, objects, accounts }: LocalPlatform, id: string): Promise<number> {
  const [row, twin] = await entities.getMany([id, `${id}-twin`].map((each) => ({ kind: "row", id: each })));
  expect(twin?.fields).toEqual(row?.fields);
  const pairs = Number(row?.fields["n"] ?? 0);
  const object = await objects.open("files", id);
  const put = object === undefined ? 0 : Number((await text(object.stream())).replaceAll(".", "").split(" ")[1]);
  let backupCount = 0;
  while ((await accounts.byEmail(`${id}.${backupCount + 1}@example.com`)) !== undefined) backupCount++;
  const steps = pairs + put + backupCount;
  // The steps are sequential, so a later one implies all earlier ones.
  expect([pairs, put, backupCount]).toEqual([Math.ceil(steps / 3), Math.ceil((steps - 1) / 3), Math.floor(steps / 3)]);
  return steps;
}

test("a backup under load is one moment: whatever was answered before it, nothing that began after it, and each writer's first steps", async () => {
  const data = join(place, "load");
  const platform = await openLocal(data, definitions);
  const writers = Array.from({ length: 4 }, (_, i) => new Writer(`w${i}`));
  const running = writers.map((writer) => writer.run(platform));
  let random = seed;
  const before: { readonly backup: string; readonly least: number[]; readonly most: number[] }[] = [];
  for (let i = 0; i < moments; i++) {
    random = (random * 48_271) % 2_147_483_647;
    const writeTarget = (writers[0]?.done ?? 0) + 3 + (random % 20);
    await expect.poll(() => writers[0]?.done, { interval: 1, timeout: 60_000 }).toBeGreaterThan(writeTarget);
    const held = platform.hold();
    const [least, most] = [writers.map(({ done }) => done), writers.map(({ begun }) => begun)];
    // Delays the copy until more writes have been made than the log holds without a checkpoint.
    const enough = sum(least) + 80;
    await expect
      .poll(() => sum(writers.map(({ done }) => done)), { interval: 1, timeout: 60_000 })
      .toBeGreaterThan(enough);
    const backup = join(place, `backup-${i}`);
    await backUp(data, backup, { app: "app", at: held.at.toISOString(), checkHold: async () => {} });
    held.release();
    before.push({ backup, least, most });
  }
  for (const writer of writers) writer.stop();
  await Promise.all(running);
  await platform.close();
  for (const { backup, least, most } of before) {
    const restored = `${backup}-restored`;
    await restoreData(backup, restored, { replace: false, now });
    const again = await openLocal(restored, definitions);
    for (const [i, { id }] of writers.entries()) {
      const steps = await stepsIn(again, id);
      expect(steps).toBeGreaterThanOrEqual(least[i] ?? 0);
      expect(steps).toBeLessThanOrEqual(most[i] ?? 0);
    }
    await again.close();
  }
  // Files replaced during the hold are deleted when it ends.
  expect(readdirSync(join(data, "objects"))).toHaveLength(writers.length);
});

describe("a backup of data that no server works on", () => {
  const data = (): string => join(place, "small");
  const backup = (): string => join(place, "small-backup");
  beforeAll(async () => {
    const platform = await openLocal(data(), definitions);
    await platform.entities.upsert({ kind: "row", id: "a" }, { n: 1 });
    await platform.objects.put("files", "a", new Blob(["bytes"]).stream(), { contentType: "text/plain" });
    await platform.close();
    const held = holdClosed(data());
    await backUp(data(), backup(), { app: "app", at: held.at, checkHold: () => held.requireHeld() });
    held.release();
  });

  test("is read by nobody else, and by its owner", () => {
    expect(readBackup(backup())).toMatchObject({ version: 1, app: "app", objects: { count: 1, bytes: 5 } });
  });

  test("is refused where any byte of it is another one, and nothing is changed", async () => {
    const object = readdirSync(join(backup(), "objects"))[0] ?? "";
    for (const name of ["store", "secrets", join("objects", object)]) {
      const whole = readFileSync(join(backup(), name));
      const damaged = Buffer.from(whole);
      damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] ?? 0) ^ 1;
      writeFileSync(join(backup(), name), damaged);
      await expect(restoreData(backup(), join(place, "refused"), { replace: false, now })).rejects.toThrow(
        "is damaged",
      );
      writeFileSync(join(backup(), name), whole);
      expect(readdirSync(join(place, "refused"))).toEqual(["lock"]);
    }
  });

  test.each(["../../services/evil.js", "../secrets", "/etc/hostname", "..", "a/b", "a\0b", ""])(
    "is refused where a row names the file %j, and nothing is read or written outside of it",
    async (file) => {
      const crafted = join(place, "crafted", "backup");
      rmSync(join(place, "crafted"), { recursive: true, force: true });
      cpSync(backup(), crafted, { recursive: true });
      const database = openDatabase(join(crafted, "store"));
      database.prepare("UPDATE objects SET file = ?").run(file);
      database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
      database.close();
      const record = JSON.parse(readFileSync(join(crafted, "backup.json"), "utf8")) as { store: object };
      const sha256 = createHash("sha256")
        .update(readFileSync(join(crafted, "store")))
        .digest("hex");
      writeFileSync(join(crafted, "backup.json"), JSON.stringify({ ...record, store: { ...record.store, sha256 } }));
      const target = join(place, "crafted", "data");
      await expect(restoreData(crafted, target, { replace: false, now })).rejects.toThrow("is not a valid file name");
      expect(readdirSync(target)).toEqual(["lock"]);
      expect(readdirSync(join(place, "crafted"))).toEqual(["backup", "data"]);
    },
  );

  test("is refused where it was cut short, which leaves no record", async () => {
    const partial = join(place, "cut");
    const copy = backUp(data(), partial, {
      app: "app",
      at: "",
      checkHold: () => Promise.reject(new Error("it stopped")),
    });
    await expect(copy).rejects.toThrow("it stopped");
    expect([partial, `${partial}.partial`].map((path) => existsSync(path))).toEqual([false, false]);
    await expect(restoreData(data(), join(place, "refused"), { replace: false, now })).rejects.toThrow(
      "is not a complete backup: backup.json is missing",
    );
  });

  test("replaces data only with --replace, and keeps the old data", async () => {
    const other = join(place, "other");
    await (await openLocal(other, definitions)).close();
    await expect(restoreData(backup(), other, { replace: false, now })).rejects.toThrow(`${other} already has data`);
    const { before = "" } = await restoreData(backup(), other, { replace: true, now });
    expect(readdirSync(before)).toContain("store");
    const platform = await openLocal(other, definitions);
    expect((await platform.entities.get({ kind: "row", id: "a" }))?.fields).toEqual({ n: 1 });
    await expect(restoreData(backup(), other, { replace: true, now })).rejects.toThrow(
      "another process uses the data in",
    );
    await platform.close();
  });

  test("does not open half restored: after a kill in the middle, restore again", async () => {
    const half = join(place, "half");
    await restoreData(backup(), half, { replace: false, now });
    writeFileSync(join(half, restoringFile), "{}");
    rmSync(join(half, "secrets"));
    await expect(openLocal(half, definitions)).rejects.toThrow("was interrupted; run fw restore again");
    await restoreData(backup(), half, { replace: false, now });
    await (await openLocal(half, definitions)).close();
  });
});
