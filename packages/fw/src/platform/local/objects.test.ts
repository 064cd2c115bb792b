import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test } from "vitest";
import { openFiles } from "../../lib/testing/open-files.ts";
import type { ObjectGrant } from "../objects.ts";
import { ManualClock } from "../testing/conformance/fixture.ts";
import { contentOf, streamOf, textOf } from "../testing/conformance/objects.ts";
import { openLocal } from "./open.ts";
import type { LocalPlatform } from "./open.ts";

const definitions = { kinds: [], buckets: ["photos"] };
const text = { contentType: "text/plain" };

describe("the files of objects", () => {
  test("are named without their keys and never leave their directory", async () => {
    const { platform, directory, around } = await openObjects();
    const keys = ["../..", "../../escaped", "/etc/fw-escaped", "a/b", "a/", "%2e%2e%2fx", "CON", "x".repeat(1024)];
    for (const key of keys) await platform.objects.put("photos", key, streamOf(key), text);
    expect(await readdir(around)).toEqual(["data"]);
    expect((await readdir(directory)).filter((name) => !/^(?:store|lock|secrets)/.test(name))).toEqual(["objects"]);
    const files = await filesOf(directory);
    expect(files).toHaveLength(keys.length);
    for (const file of files) expect(file).toMatch(/^[0-9a-f]{32}$/);
    const contents = await Promise.all(files.map((file) => readFile(join(directory, "objects", file), "utf8")));
    expect(contents.toSorted()).toEqual(keys.toSorted());
  });

  test("go when an object is replaced or deleted, and when its writing fails", async () => {
    const { platform, directory } = await openObjects();
    for (const content of ["1", "2", "3"]) await platform.objects.put("photos", "x", streamOf(content), text);
    expect(await filesOf(directory)).toHaveLength(1);
    await expect(platform.objects.put("photos", "x", streamOf("4", new Error("broke")), text)).rejects.toThrow("broke");
    const long = platform.objects.put("photos", "x", streamOf("too long"), { ...text, maxSize: 3 });
    await expect(long).rejects.toThrow("larger than 3 bytes");
    expect(await filesOf(directory)).toHaveLength(1);
    await platform.objects.delete("photos", "x");
    expect(await filesOf(directory)).toEqual([]);
  });

  test("that are still being read go when nobody can read them any more", async () => {
    const { platform, directory } = await openObjects();
    await platform.objects.put("photos", "x", streamOf("old"), text);
    let reader = await platform.objects.open("photos", "x");
    await platform.objects.put("photos", "x", streamOf("new"), text);
    collectGarbage();
    expect(await filesOf(directory)).toHaveLength(2);
    expect(await textOf(reader?.stream())).toBe("old");
    reader = undefined;
    await expect.poll(async () => (collectGarbage(), (await filesOf(directory)).length)).toBe(1);
    expect(await contentOf(platform.objects, "x")).toBe("new");
  });

  test("that no object holds go when the store is opened, and no other", async () => {
    const { platform, directory } = await openObjects();
    await platform.objects.put("photos", "x", streamOf("kept"), text);
    await platform.close();
    const remainingFiles = await filesOf(directory);
    await writeFile(join(directory, "objects", "0".repeat(32)), "of a process that was killed");
    const again = await openLocal(directory, definitions);
    await expect.poll(() => filesOf(directory)).toEqual(remainingFiles);
    expect(await contentOf(again.objects, "x")).toBe("kept");
    await again.close();
  });

  test("are open only while they are read", async () => {
    const { platform, directory } = await openObjects();
    await platform.objects.put("photos", "x", streamOf("x".repeat(200_000)), text);
    const streams = await Promise.all(Array.from({ length: 20 }, () => streamFrom(platform, "x")));
    expect(descriptors(directory)).toBe(0);
    const readers = streams.map((stream) => stream.getReader());
    await Promise.all(readers.map((reader) => reader.read()));
    expect(descriptors(directory)).toBe(20);
    await Promise.all(readers.slice(0, 10).map((reader) => reader.cancel()));
    for (const reader of readers.slice(10)) while (!(await reader.read()).done);
    expect(descriptors(directory)).toBe(0);
  });

  test("are closed also when reading is given up while they are being opened", async () => {
    const { platform, directory } = await openObjects();
    await platform.objects.put("photos", "x", streamOf("content"), text);
    const reader = (await streamFrom(platform, "x")).getReader();
    const reading = reader.read();
    await reader.cancel();
    expect(await reading).toEqual({ done: true, value: undefined });
    await expect.poll(() => descriptors(directory)).toBe(0);
  });
});

describe("the token of a signed URL", () => {
  test("says exactly what it was signed for, also after a restart", async () => {
    const { platform, directory } = await openObjects();
    const grants: ObjectGrant[] = [
      { bucket: "photos", key: 'a/é "\\.b', method: "PUT", expires: inMinutes(1), maxSize: 5, contentType: "image/*" },
      { bucket: "photos", key: "x".repeat(1024), method: "GET", expires: inMinutes(1) },
    ];
    const tokens = await Promise.all(grants.map((grant) => tokenOf(platform, grant)));
    expect(await Promise.all(tokens.map(async (token) => platform.objects.openGrant?.(token)))).toEqual(grants);
    await platform.close();
    const again = await openLocal(directory, definitions);
    expect(await Promise.all(tokens.map(async (token) => again.objects.openGrant?.(token)))).toEqual(grants);
    await again.close();
  });

  test("is refused with any edit of any of its characters", async () => {
    const { platform } = await openObjects();
    const grant = { bucket: "photos", key: "a/b.png", method: "PUT", expires: inMinutes(1), maxSize: 5 } as const;
    const token = await tokenOf(platform, grant);
    const other = await tokenOf(platform, { ...grant, key: "a/c.png" });
    const edits = editsOf(token, other);
    expect(edits.size).toBeGreaterThan(700);
    for (const edit of edits) expect([edit, await platform.objects.openGrant?.(edit)]).toEqual([edit, undefined]);
    expect(await platform.objects.openGrant?.(token)).toEqual(grant);
  });

  test("is refused once it has expired, by the platform's clock", async () => {
    const clock = new ManualClock();
    const { platform } = await openObjects(clock);
    const expires = new Date(clock.now() + 1000);
    const token = await tokenOf(platform, { bucket: "photos", key: "x", method: "GET", expires });
    clock.advance(999);
    expect(await platform.objects.openGrant?.(token)).toBeDefined();
    clock.advance(1);
    expect(await platform.objects.openGrant?.(token)).toBeUndefined();
  });

  test("is refused by another store, and once the application starts without its bucket", async () => {
    const [first, second] = [await openObjects(), await openObjects()];
    const grant = { bucket: "photos", key: "x", method: "GET", expires: inMinutes(1) } as const;
    const token = await tokenOf(first.platform, grant);
    expect(await second.platform.objects.openGrant?.(token)).toBeUndefined();
    await first.platform.close();
    const again = await openLocal(first.directory, { kinds: [], buckets: ["others"] });
    expect(await again.objects.openGrant?.(token)).toBeUndefined();
    await again.close();
  });
});

/** Opens a platform in a new directory, until the test ends. */
async function openObjects(
  clock?: ManualClock,
): Promise<{ readonly platform: LocalPlatform; readonly directory: string; readonly around: string }> {
  const around = await mkdtemp(join(tmpdir(), "fw-objects-"));
  const directory = join(around, "data");
  const platform = await openLocal(directory, definitions, clock === undefined ? {} : { clock });
  onTestFinished(async () => {
    await platform.close();
    await rm(around, { recursive: true });
  });
  return { platform, directory, around };
}

async function streamFrom({ objects }: LocalPlatform, key: string): Promise<ReadableStream<Uint8Array>> {
  const object = await objects.open("photos", key);
  if (object === undefined) throw new Error(`there is no ${key}`);
  return object.stream();
}

async function filesOf(directory: string): Promise<string[]> {
  return (await readdir(join(directory, "objects"))).toSorted();
}

/** Returns the number of object files that this process has open. */
function descriptors(directory: string): number {
  return openFiles(join(directory, "objects", "/")).length;
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

function inMinutes(minutes: number): Date {
  return new Date(Date.now() + minutes * 60_000);
}

async function tokenOf({ objects }: LocalPlatform, grant: ObjectGrant): Promise<string> {
  const { url } = await objects.sign(grant);
  expect(url).toMatch(/^\/_fw\/api\/signed\/[\w-]+\.[\w-]+$/);
  return url.slice("/_fw/api/signed/".length);
}

/**
 * Returns manipulated grants: each character changed in four ways, every truncation, doubled and dropped characters,
 * swapped parts, and unsigned grants.
 */
function editsOf(token: string, other: string): Set<string> {
  const edits = new Set<string>();
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (let i = 0; i < token.length; i++) {
    const at = alphabet.indexOf(token.charAt(i));
    for (const step of [1, 2, 16, 32])
      edits.add(token.slice(0, i) + alphabet.charAt((at + step) % 64) + token.slice(i + 1));
    edits.add(token.slice(0, i) + token.slice(i + 1));
    edits.add(token.slice(0, i) + token.charAt(i) + token.slice(i));
    edits.add(token.slice(0, i));
  }
  const [grant = "", seal = ""] = token.split(".");
  const [otherGrant = "", otherSeal = ""] = other.split(".");
  const text = Buffer.from(grant, "base64url").toString();
  const forged = [text.replace("PUT", "GET"), text.replace("photos", "others"), text.replace(",5,", ",6,"), text + " "];
  for (const each of forged) {
    const encoded = Buffer.from(each).toString("base64url");
    for (const sealed of [seal, otherSeal, "", encoded]) edits.add(`${encoded}.${sealed}`);
  }
  for (const each of [
    `${otherGrant}.${seal}`,
    `${grant}.${otherSeal}`,
    `${seal}.${grant}`,
    `${grant}..${seal}`,
    `${token}=`,
    `${grant}=.${seal}`,
    `${token}.${seal}`,
    `${token}/`,
    ` ${token}`,
    `${token}%00`,
    token.replace(".", "%2E"),
    token.toLowerCase(),
    `${grant}.${Buffer.from(seal, "base64url").toString("base64")}=`,
    "",
    ".",
  ])
    edits.add(each);
  edits.delete(token);
  return edits;
}
