import { onTestFinished } from "vitest";
import { startFakeCloud, type FakeCloud } from "../../../../../fake-cloud/src/index.ts";
import type { Clock } from "../../contract.ts";
import { connectCloud, type Cloud } from "../cloud.ts";
import { bucketName, serviceAccountEmail } from "../names.ts";
import type { CloudLocation } from "../cloud-location.ts";
import { faultyProxy, type Mishaps } from "./faulty-proxy.ts";

/** A fake cloud and a service that runs in it. */
export interface OnFake {
  readonly fake: FakeCloud;
  readonly cloud: Cloud;
  readonly place: CloudLocation;
  /** The email of the service's account. */
  readonly account: string;
  /** Calls an API as the deploying account. */
  readonly deploy: (
    api: Parameters<Cloud["client"]["call"]>[0]["api"],
    method: "GET" | "POST" | "PUT",
    path: string,
    body?: unknown,
  ) => Promise<unknown>;
}

/** Starts a fake cloud for the current test. `mishaps` chooses the faults between the fake cloud and the service. */
export async function onFake(clock?: Clock, mishaps?: Mishaps): Promise<OnFake> {
  const fake = await startFakeCloud(clock && { start: clock.now() });
  const { id, number, region } = fake.project;
  const stem = { app: "shop", env: "test", service: "web-app" };
  const place: CloudLocation = { ...stem, project: id, projectNumber: number, region, database: "shop-test" };
  const account = serviceAccountEmail(place, place.service);
  const deployer = `deployer@${id}.iam.gserviceaccount.com`;
  fake.grant(`serviceAccount:${deployer}`, "roles/owner");
  const env = await fake.envOf(account);
  const cloud = connectCloud(mishaps ? through(await faultyProxy(fake.url, mishaps), fake.url, env) : env, clock);
  const deploying = connectCloud(await fake.envOf(deployer), clock);
  onTestFinished(async () => {
    await Promise.all([cloud.connections.close(), deploying.connections.close()]);
    await fake.stop();
  });
  const deploy: OnFake["deploy"] = (api, method, path, body) => deploying.client.call({ api, method, path, body });
  return { fake, cloud, place, account, deploy };
}

/** Returns the same environment with another address for the cloud. */
function through(proxy: string, cloud: string, env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replaceAll(cloud, proxy)]));
}

/** Creates a bucket for the service, as a deployment does. */
export async function makeBucket({ fake, place, account, deploy }: OnFake, bucket: string): Promise<string> {
  const name = bucketName(place, bucket);
  await deploy("storage", "POST", `/storage/v1/b?project=${place.project}`, {
    name,
    location: place.region,
    iamConfiguration: { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: "enforced" },
    versioning: { enabled: true },
    lifecycle: { rule: [{ action: { type: "Delete" }, condition: { daysSinceNoncurrentTime: 1 } }] },
    cors: [
      {
        origin: ["*"],
        method: ["GET", "HEAD", "PUT"],
        responseHeader: ["Content-Type", "ETag", "x-goog-content-length-range"],
        maxAgeSeconds: 3600,
      },
    ],
  });
  fake.grant(
    `serviceAccount:${account}`,
    "roles/storage.objectUser",
    `//storage.googleapis.com/projects/_/buckets/${name}`,
  );
  const self = `//iam.googleapis.com/projects/${place.project}/serviceAccounts/${account}`;
  fake.grant(`serviceAccount:${account}`, "roles/iam.serviceAccountTokenCreator", self);
  return name;
}
