import { describe, expect, test } from "vitest";
import { contentOf, streamOf, textOf } from "../../testing/conformance/objects.ts";
import { failure } from "../../testing/conformance/fixture.ts";
import type { Mishap } from "../testing/faulty-proxy.ts";
import { makeBucket, onFake, type OnFake } from "../testing/fake.ts";
import { bucketName } from "../names.ts";
import { factsOf } from "./facts.ts";
import { CloudObjects } from "./objects.ts";

const mebibyte = 1024 * 1024;
const text = { contentType: "text/plain" };

async function objectsOn(on: OnFake): Promise<CloudObjects> {
  for (const bucket of ["photos", "other"]) await makeBucket(on, bucket);
  return new CloudObjects({ ...on, definitions: { kinds: [], buckets: ["photos", "other"] } });
}

/** Plans faults, each for one of the requests for an object. */
class Accidents {
  readonly #planned = new Map<string, { readonly mishap: Mishap; readonly nth: number; seen: number }>();
  happened = 0;

  plan(key: string, nth: number, mishap: Mishap): void {
    this.#planned.set(key, { mishap, nth, seen: 0 });
  }

  readonly of = ({ url }: { readonly url: URL }): Mishap | undefined => {
    const { pathname, searchParams } = url;
    const key = searchParams.get("name") ?? decodeURIComponent(pathname.slice(pathname.lastIndexOf("/") + 1));
    const planned = this.#planned.get(key);
    if (planned === undefined || ++planned.seen !== planned.nth) return undefined;
    this.happened++;
    return planned.mishap;
  };
}

const mishaps = ["429", "503", "503 after", "reset before", "reset after"] as const;

describe("while connections fail", () => {
  test("an object is written once and whole, whichever request is hit", async () => {
    const accidents = new Accidents();
    const on = await onFake(undefined, accidents.of);
    const objects = await objectsOn(on);
    const large = ["0".repeat(mebibyte), "1".repeat(mebibyte), "2"];
    const cases = mishaps.flatMap((mishap) => [1, 2, 3].map((nth) => ({ key: `${mishap} of ${nth}`, nth, mishap })));
    for (const { key, nth, mishap } of cases) accidents.plan(key, nth, mishap);
    for (const { key, nth } of cases) {
      // Only content of more than one piece causes a third request.
      const content = nth === 3 ? large : ["all"];
      const { size } = await objects.put("photos", key, streamOf(...content), text);
      expect(size).toBe(content.join("").length);
    }
    expect(accidents.happened).toBe(cases.length);
    expect(await contentOf(objects, "503 of 3")).toBe(large.join(""));
    expect(await generations(on)).toHaveLength(cases.length);
  });

  test("an object is read to its end, although the connection breaks off in the middle and the object is replaced", async () => {
    const accidents = new Accidents();
    const objects = await objectsOn(await onFake(undefined, accidents.of));
    const content = "0123456789".repeat(50_000);
    await objects.put("photos", "x", streamOf(content), text);
    const object = await objects.open("photos", "x");
    accidents.plan("x", 1, { answerEndsAfter: 123_457 });
    const reader = object?.stream().getReader();
    let read = "";
    for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
      if (read === "") await objects.put("other", "x", streamOf("new"), text);
      read += Buffer.from(next.value).toString();
    }
    expect(read).toBe(content);
    accidents.plan("x", 2, { answerEndsAfter: 10 });
    expect(await textOf(object?.stream({ start: 5, end: 100_005 }))).toBe(content.slice(5, 100_005));
  });

  test("an object is deleted, and a page is listed", async () => {
    const accidents = new Accidents();
    const objects = await objectsOn(await onFake(undefined, accidents.of));
    for (const key of mishaps) await objects.put("photos", key, streamOf("x"), text);
    expect((await objects.list("photos", "", { limit: 10 })).objects).toHaveLength(mishaps.length);
    for (const key of mishaps) accidents.plan(key, 1, key);
    await Promise.all(mishaps.map((key) => objects.delete("photos", key)));
    for (const mishap of mishaps) {
      accidents.plan("o", 1, mishap);
      expect((await objects.list("photos", "", { limit: 10 })).objects).toEqual([]);
    }
  });
});

describe("what differs from an object on disk", () => {
  test("a bucket that was not deployed is an error that names it, and no missing object", async () => {
    const on = await onFake();
    on.fake.grant(`serviceAccount:${on.account}`, "roles/storage.objectUser");
    const objects = new CloudObjects({ ...on, definitions: { kinds: [], buckets: ["photos"] } });
    await expect(objects.find("photos", "x")).rejects.toThrow("bucket does not exist");
  });

  test("an object that was put together elsewhere has no hash, and an ETag that changes with each write", () => {
    const composed = {
      name: "x",
      generation: "1763800000000000",
      size: "9",
      updated: "2026-11-21T10:00:00Z",
      crc32c: "8P9ykg==",
    };
    const { etag } = factsOf(composed);
    expect(etag).toMatch(/^[\w-]{16,}$/);
    expect(factsOf({ ...composed, generation: "1763800000000001" }).etag).not.toBe(etag);
  });

  test("a key with a dot between slashes has no URL", async () => {
    const objects = await objectsOn(await onFake());
    const expires = new Date(Date.now() + 60_000);
    for (const key of ["../x", "a/../b", "a/.", "./x"])
      expect(await failure(() => objects.sign({ bucket: "photos", key, method: "GET", expires }))).toBe("key");
  });
});

/** Returns all objects in the bucket, including all replaced and deleted generations. */
async function generations({ cloud, place }: OnFake): Promise<readonly unknown[]> {
  const path = `/storage/v1/b/${bucketName(place, "photos")}/o`;
  const query = { versions: true };
  const { items = [] } = await cloud.client.call<{ items?: unknown[] }>({ api: "storage", method: "GET", path, query });
  return items;
}
