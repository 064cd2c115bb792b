import { expect, test } from "vitest";
import { failure } from "../../testing/conformance/fixture.ts";
import { openGcp } from "../open.ts";
import { makeBucket, onFake } from "../testing/fake.ts";

test("what Google refuses or does not answer is told with a code of the platform", async () => {
  const mishaps = { now: undefined as "503" | "429" | undefined };
  const on = await onFake(undefined, () => mishaps.now);
  await makeBucket(on, "photos");
  const { objects, messages } = await openGcp(on.place, { kinds: [], buckets: ["photos", "others"] }, on.cloud);
  expect(await objects.find("photos", "x")).toBeUndefined();
  expect(await failure(() => objects.find("others", "x"))).toBe("denied");
  expect(await failure(() => messages.send({ kind: "queue", name: "emails" }, { body: "1" }))).toBe("denied");
  mishaps.now = "503";
  expect(await failure(() => objects.find("photos", "x"))).toBe("unreachable");
  mishaps.now = "429";
  expect(await failure(() => objects.delete("photos", "x"))).toBe("busy");
  expect(await failure(() => objects.find("nowhere", "x"))).toBe("key");
});
