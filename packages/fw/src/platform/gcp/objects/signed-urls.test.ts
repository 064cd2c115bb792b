import { expect, test } from "vitest";
import { SteppedClock } from "../../stepped-clock.ts";
import type { ObjectGrant, SignedRequest } from "../../objects.ts";
import { contentOf, streamOf } from "../../testing/conformance/objects.ts";
import { makeBucket, onFake, type OnFake } from "../testing/fake.ts";
import { CloudObjects } from "./objects.ts";

interface Signing extends OnFake {
  readonly objects: CloudObjects;
  readonly clock: SteppedClock;
  readonly sign: (grant: Partial<ObjectGrant>, lifetime?: number) => Promise<SignedRequest>;
  /** Returns the number of signing calls to the cloud. */
  readonly signed: () => number;
}

const minute = 60_000;

async function signing(): Promise<Signing> {
  const clock = new SteppedClock();
  const on = await onFake(clock);
  await makeBucket(on, "photos");
  const objects = new CloudObjects({ ...on, definitions: { kinds: [], buckets: ["photos"] } });
  const grant = { bucket: "photos", key: "a b/é'(1).png", method: "PUT" } as const;
  return {
    ...on,
    objects,
    clock,
    sign: (more, lifetime = 15 * minute) =>
      objects.sign({ ...grant, expires: new Date(clock.now() + lifetime), ...more }),
    signed: () =>
      on.fake.cloud.accessChecks.filter(({ permission }) => permission === "iam.serviceAccounts.signBlob").length,
  };
}

function send({ url, headers }: SignedRequest, method: string, body?: string): Promise<Response> {
  return fetch(url, { method, headers, ...(body !== undefined && { body }) });
}

test("a signed URL permits its upload or download, and nothing else", async () => {
  const { sign, objects } = await signing();
  const put = await sign({ maxSize: 5, contentType: "image/png" });
  expect((await send(put, "PUT", "12345")).status).toBe(200);
  expect(await contentOf(objects, "a b/é'(1).png")).toBe("12345");
  expect((await objects.find("photos", "a b/é'(1).png"))?.contentType).toBe("image/png");
  const got = await send(await sign({ method: "GET" }), "GET");
  expect([got.status, await got.text()]).toEqual([200, "12345"]);
  expect((await send({ ...put, url: put.url.replace("1%29", "2%29") }, "PUT", "1")).status).toBe(403);
  expect((await send(put, "GET")).status).toBeGreaterThanOrEqual(400);
});

test("an upload that is larger or of another type than it was signed for leaves nothing", async () => {
  const { sign, objects } = await signing();
  const put = await sign({ key: "x", maxSize: 5, contentType: "image/png" });
  const refusals = [
    send(put, "PUT", "123456"),
    send({ ...put, headers: { ...put.headers, "Content-Type": "text/html" } }, "PUT", "1"),
    send({ ...put, headers: { ...put.headers, "x-goog-content-length-range": "0,500" } }, "PUT", "123456"),
    send({ ...put, headers: {} }, "PUT", "123456"),
  ];
  for (const answer of refusals) expect((await answer).status).toBeGreaterThanOrEqual(400);
  expect(await objects.find("photos", "x")).toBeUndefined();
});

test("a URL is good for as long as it was asked for, and at most a tenth longer", async () => {
  const { sign, clock, fake, objects } = await signing();
  await objects.put("photos", "x", streamOf("x"), { contentType: "text/plain" });
  const get = await sign({ key: "x", method: "GET" }, 10 * minute);
  const pass = async (milliseconds: number): Promise<number> => {
    await clock.advance(milliseconds);
    await fake.clock.advance(milliseconds);
    return (await send(get, "GET")).status;
  };
  expect(await pass(10 * minute)).toBe(200);
  expect(await pass(minute + 1_000)).toBe(400);
  const week = new URL((await sign({ key: "x", method: "GET" }, 7 * 24 * 60 * minute)).url);
  expect(week.searchParams.get("X-Goog-Expires")).toBe("604800");
});

test("a URL that is asked for again and again is signed once, for as long as it lasts long enough", async () => {
  const { sign, signed, clock } = await signing();
  const urls = await Promise.all(Array.from({ length: 20 }, () => sign({})));
  expect(new Set(urls.map(({ url }) => url)).size).toBe(1);
  await clock.advance(minute);
  await sign({});
  expect(signed()).toBe(1);
  await clock.advance(minute);
  await sign({});
  expect(signed()).toBe(2);
  for (const other of [{ key: "y" }, { maxSize: 1 }, { contentType: "image/png" }, { method: "GET" as const }])
    await sign(other);
  expect(signed()).toBe(6);
  await sign({}, 2 * minute);
  expect(signed()).toBe(7);
});

test("a URL that could not be signed is not kept", async () => {
  const { sign, fake } = await signing();
  fake.faults.add({ fault: "ABORTED", method: /signBlob/, times: 1 });
  await expect(sign({})).rejects.toThrow("ABORTED");
  expect((await sign({})).url).toContain("X-Goog-Signature=");
});
