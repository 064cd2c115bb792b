import { expect, test } from "vitest";
import { failure } from "../testing/conformance/fixture.ts";
import { Datastore } from "./entities/datastore.ts";
import { openSecrets } from "./keys.ts";
import { onFake } from "./testing/fake.ts";

test("a key whose first read failed is read again, and is the same in every process", async () => {
  const { cloud, place, fake, account } = await onFake();
  const secrets = openSecrets(new Datastore(cloud, place));
  expect(await failure(() => secrets("csrf"))).toBe("denied");
  fake.grant(`serviceAccount:${account}`, "roles/datastore.user");
  const key = await secrets("csrf");
  expect(key).toHaveLength(32);
  expect(await openSecrets(new Datastore(cloud, place))("csrf")).toEqual(key);
  expect(await secrets("cursor")).not.toEqual(key);
});
