import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { tries } from "../../lib/testing/tries.ts";
import { cursorTests } from "../testing/conformance/cursors.ts";
import { type OpenPlatform } from "../testing/conformance/fixture.ts";
import { storeTests } from "../testing/conformance.ts";
import { DatastoreEmulator, hasEmulator } from "../testing/datastore-emulator.ts";
import { connectCloud } from "./cloud.ts";
import { openGcp } from "./open.ts";
import type { CloudLocation } from "./cloud-location.ts";
import { faultyProxy } from "./testing/faulty-proxy.ts";
import { lostAnswerTests, registerIndexes } from "./testing/lost-answers.ts";

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
    // The emulator's sums include dates, which no typed query can ask for. It takes seconds for each page of a query.
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
