import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { tries } from "../../lib/testing/tries.ts";
import type { Definitions } from "../contract.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { cursorTests } from "../testing/conformance/cursors.ts";
import { failure, idsOf, item, items, type OpenPlatform } from "../testing/conformance/fixture.ts";
import { storeTests } from "../testing/conformance.ts";
import { DatastoreEmulator, hasEmulator } from "../testing/datastore-emulator.ts";
import { connectCloud } from "./cloud.ts";
import { Datastore } from "./entities/datastore.ts";
import { fillIndexes } from "./entities/index-fill.ts";
import { openGcp } from "./open.ts";
import type { CloudLocation } from "./cloud-location.ts";
import { faultyProxy } from "./testing/faulty-proxy.ts";
import { lostAnswerTests, registerIndexes } from "./testing/lost-answers.ts";

if (!hasEmulator)
  process.stderr.write("SKIPPED: the cloud platform on Google's Datastore emulator, which is not here\n");

/** True to run the full suite, which takes minutes on the emulator, mainly because of conflicting transactions. */
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
    // The emulator's sums include dates, which no typed query can request. Each page of a query takes seconds.
    storeTests(open, { histories: tries(1), queries: 4, documents: tries(30), contenders: 2, addsDates: true });
    lostAnswerTests(async (choose) => {
      let isRegistered = false;
      const proxy = await faultyProxy(`http://${emulator.host}`, ({ url }) =>
        isRegistered ? choose(url.pathname.split(":").at(-1) ?? "") : undefined,
      );
      const cloud = connectCloud({ DATASTORE_EMULATOR_HOST: new URL(proxy).host });
      const kinds = [{ kind: "item", properties: [], composites: [] }];
      const platform = await openGcp({ ...place, database: `t${randomUUID().slice(0, 20)}` }, { kinds }, cloud);
      onTestFinished(() => platform.close());
      await registerIndexes(platform);
      isRegistered = true;
      return platform;
    });
  } else cursorTests(open);

  test("an index that is added later has the documents of older code", async () => {
    const clock = new SteppedClock();
    const cloud = connectCloud({ DATASTORE_EMULATOR_HOST: emulator.host }, clock);
    const own = { ...place, database: `t${randomUUID().slice(0, 20)}` };
    const version = async (properties: Definitions["kinds"][number]["properties"]) => {
      const platform = await openGcp(own, { kinds: [{ kind: "item", properties, composites: [] }] }, cloud);
      onTestFinished(() => platform.close());
      return platform.entities;
    };
    const fields = { a: "x", place: { city: "Bern" }, tags: ["y"], weight: -0 };
    const older = await version([]);
    await older.upsert(item("old"), fields);
    const newer = await version([
      { name: "a" },
      { name: "place.city" },
      { name: "tags", many: true },
      { name: "weight" },
    ]);
    await newer.upsert(item("new"), fields);
    const by = (property: string, value: string | number) =>
      newer.query(items({ filters: [{ property, op: "==", value }] }));
    expect(await failure(() => by("a", "x"))).toBe("filling");
    const filling = fillIndexes(new Datastore(cloud, own), "item").then(() => true);
    while (!(await Promise.race([filling, clock.advance(1_000)])));
    await clock.advance(30_000);
    await older.upsert(item("late"), fields);
    for (const query of [by("a", "x"), by("place.city", "Bern"), by("tags", "y"), by("weight", 0)])
      expect(idsOf((await query).documents)).toEqual(["late", "new", "old"]);
  });
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
