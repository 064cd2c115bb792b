import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { Platform } from "../../contract.ts";
import { failure, item } from "../../testing/conformance/fixture.ts";
import { openGcp } from "../open.ts";
import { CloudError } from "../rest/cloud-error.ts";
import { onFake } from "../testing/fake.ts";
import { registerIndexes } from "../testing/lost-answers.ts";
import { Datastore } from "./datastore.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

async function openPlatform(): Promise<Platform> {
  const on = await onFake();
  on.fake.grant(`serviceAccount:${on.account}`, "roles/datastore.user");
  const platform = await openGcp(on.place, { kinds: [{ kind: "item", properties: [], composites: [] }] }, on.cloud);
  onTestFinished(() => platform.close());
  await registerIndexes(platform);
  return platform;
}

test("reads of a transaction that begin together are of one moment", async () => {
  const { entities } = await openPlatform();
  const lookup = vi.spyOn(Datastore.prototype, "lookup");
  const transaction = await entities.begin();
  await Promise.all([transaction.get(item("x")), transaction.get(item("y"))]);
  expect(lookup.mock.calls.map(([, options]) => options)).toEqual([
    undefined,
    { readTime: expect.any(String) as string },
  ]);
  await transaction.rollback();
});

test("a transaction that read one document knows without another read that it was lost", async () => {
  const { entities } = await openPlatform();
  await entities.upsert(item("x"), { n: 1 });
  const transaction = await entities.begin();
  await transaction.get(item("x"));
  transaction.upsert(item("x"), { n: 2 });
  const changed = { status: 400, code: "FAILED_PRECONDITION", unknownEffect: false };
  vi.spyOn(Datastore.prototype, "commit").mockRejectedValueOnce(new CloudError("the version is another", changed));
  const lookup = vi.spyOn(Datastore.prototype, "lookup");
  expect(await failure(() => transaction.commit())).toBe("conflict");
  expect(lookup).not.toHaveBeenCalled();
});
