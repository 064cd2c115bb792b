import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { tries } from "../../lib/testing/tries.ts";
import type { Definitions, Key, Platform } from "../contract.ts";
import { cursorTests } from "../testing/conformance/cursors.ts";
import { idsOf, items, type OpenPlatform } from "../testing/conformance/fixture.ts";
import { storeTests } from "../testing/conformance.ts";
import { DatastoreEmulator, hasEmulator } from "../testing/datastore-emulator.ts";
import { connectCloud } from "./cloud.ts";
import { Datastore } from "./entities/datastore.ts";
import { indexCoverage } from "./entities/index-coverage.ts";
import { openGcp } from "./open.ts";
import type { CloudLocation } from "./cloud-location.ts";
import { faultyProxy } from "./testing/faulty-proxy.ts";
import { lostAnswerTests } from "./testing/lost-answers.ts";

if (!hasEmulator)
  process.stderr.write("SKIPPED: the cloud platform on Google's Datastore emulator, which is not here\n");

/** The full suite takes minutes on the emulator, mostly for conflicting transactions. */
const whole = process.env["FW_EMULATOR"] === "1";

describe.skipIf(!hasEmulator)("documents, transactions and leases on Google's Datastore emulator", () => {
  let emulator: DatastoreEmulator;
  beforeAll(async () => {
    emulator = await DatastoreEmulator.start();
  });
  afterAll(() => emulator.stop());

  const open: OpenPlatform = async (definitions, clock) => {
    const cloud = connectCloud({ DATASTORE_EMULATOR_HOST: emulator.host }, clock);
    // A separate database for each test.
    const database = `t${randomUUID().slice(0, 20)}`;
    const platform = await openGcp({ ...place, database }, definitions, cloud);
    return { platform, dispose: async () => {} };
  };
  if (whole) {
    // The emulator's sums include dates, which no typed query can ask for.
    storeTests(open, { histories: tries(1), documents: tries(30), contenders: 2, addsDates: true });
    lostAnswerTests(async (choose) => {
      const proxy = await faultyProxy(`http://${emulator.host}`, ({ url }) =>
        choose(url.pathname.split(":").at(-1) ?? ""),
      );
      const cloud = connectCloud({ DATASTORE_EMULATOR_HOST: new URL(proxy).host });
      const kinds = [{ kind: "item", properties: [], composites: [] }];
      const platform = await openGcp({ ...place, database: `t${randomUUID().slice(0, 20)}` }, { kinds }, cloud);
      onTestFinished(() => platform.close());
      return platform;
    });
    test("documents that were written without an index are missing from its results, and say so themselves", async () => {
      const cloud = connectCloud({ DATASTORE_EMULATOR_HOST: emulator.host });
      const own = { ...place, database: `t${randomUUID().slice(0, 20)}` };
      const key = (id: string): Key => ({ kind: "item", id });
      const write = async (id: string, properties: Definitions["kinds"][number]["properties"]): Promise<Platform> => {
        const platform = await openGcp(own, { kinds: [{ kind: "item", properties, composites: [] }] }, cloud);
        await platform.entities.upsert(key(id), { a: "x", place: { city: "Bern" }, tags: ["y"], weight: -0 });
        return platform;
      };
      await write("old", []);
      const names = ["a", "place.city", "weight"];
      const indexing = await write("new", [...names.map((name) => ({ name })), { name: "tags", many: true }]);
      onTestFinished(() => indexing.close());
      expect((await indexing.entities.query(items({ limit: 9 }))).documents).toHaveLength(2);
      const query = items({ filters: [{ property: "a", op: "==", value: "x" }] });
      expect(idsOf((await indexing.entities.query(query)).documents)).toEqual(["new"]);
      const { results } = await new Datastore(cloud, own).lookup([key("old"), key("new")]);
      const coverages = results.map((each) => [...names, "tags", "b"].map((name) => each && indexCoverage(each, name)));
      expect(coverages).toEqual([
        ["unindexed", "unindexed", "unindexed", "unindexed", "absent"],
        ["indexed", "indexed", "indexed", "indexed", "absent"],
      ]);
    });
  } else cursorTests(open);
});

const place: CloudLocation = {
  app: "shop",
  env: "test",
  service: "web",
  project: "demo-fw",
  projectNumber: "123456789012",
  region: "europe-west1",
  database: "",
};
