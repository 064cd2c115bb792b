import type { Manifest } from "../build/manifest.ts";
import { drainMs } from "../lib/limits.ts";
import { untilAborted } from "../lib/until-aborted.ts";
import { atMost } from "../platform/clock.ts";
import { connectCloud } from "../platform/gcp/cloud.ts";
import { openGcp } from "../platform/gcp/open.ts";
import { databaseName } from "../platform/gcp/names.ts";
import type { RehearsalCloud } from "./cloud.ts";
import type { RehearsedApp } from "./rehearsed-app.ts";
import { openRehearsalFront, type RehearsalFront } from "./front.ts";
import { Instance, type RehearsalConsole, type ServiceRun } from "./instance.ts";
import { makeTestUsers, signInBody } from "./sign-in.ts";
import { apply } from "../deploy/apply.ts";
import { openCloud } from "../deploy/connect.ts";
import { lockClock } from "../deploy/deploy.ts";
import { describe } from "../deploy/describe.ts";
import { desired } from "../deploy/desired/desired.ts";
import { planOf } from "../deploy/plan.ts";
import type { Kind, Resource } from "../deploy/resource.ts";
import type { CloudClient } from "../platform/gcp/rest/client.ts";

/** Kinds that a rehearsal replaces or skips: services are processes, alerts notify no one, and `fw dev` has charts. */
const skippedKinds: ReadonlySet<Kind> = new Set([
  "alert",
  "channel",
  "dashboard",
  "domain",
  "image",
  "image-repository",
  "job",
  "service",
  "traffic",
]);

const rehearsalEnv = "test";

export interface RehearsalOptions extends Omit<RehearsalFront, "signIn" | "line"> {
  readonly manifest: Manifest;
  readonly runs: readonly ServiceRun[];
  readonly console: RehearsalConsole;
  /** Aborts a start in progress. */
  readonly signal: AbortSignal;
}

/** An application built for Google Cloud that runs on this machine, with a fake cloud. */
export interface Rehearsal {
  readonly port: number;
  /** Finishes requests and deliveries, then stops. */
  stop(): Promise<void>;
  /** Makes `stop` finish immediately. */
  kill(): void;
}

/** Deploys an application to the fake cloud and runs its services as processes. The caller stops the cloud. */
export async function rehearse(cloud: RehearsalCloud, options: RehearsalOptions): Promise<Rehearsal> {
  const { manifest, runs, console, signal, ...front } = options;
  const deployed = rehearsedApp(cloud, manifest);
  const deployer = await openDeployer(deployed);
  const instances = runs.map((run) => new Instance(deployed, run, console));
  for (const instance of instances) instance.offer();
  await makeResources(deployed, deployer.client);
  await makeTestUsers(deployer);
  const stopAll = async (): Promise<void> => {
    await Promise.all(instances.map((instance) => instance.stop()));
    await deployer.close();
  };
  try {
    signal.throwIfAborted();
    await untilAborted(Promise.all(instances.map((instance) => instance.start())), signal);
    const server = await openRehearsalFront(deployed, {
      ...front,
      signIn: (request) => signInBody(deployer, request),
      line: (text) => console.line("front", text),
    });
    return {
      port: server.port,
      kill: () => {
        server.cut();
        for (const instance of instances) instance.kill();
      },
      stop: async () => {
        const closed = server.close();
        // Do not wait for sockets: each ends with its service, which notifies the clients.
        await atMost(server.idle(), drainMs);
        await Promise.all([closed, stopAll()]);
      },
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

function rehearsedApp(cloud: RehearsalCloud, manifest: Manifest): RehearsedApp {
  const { id, number, region } = cloud.project;
  const place = { app: manifest.app, env: rehearsalEnv, project: id, projectNumber: number, region };
  return { cloud, manifest, place };
}

async function openDeployer({ cloud, place }: RehearsedApp) {
  const account = `deployer@${place.project}.iam.gserviceaccount.com`;
  cloud.grant(`serviceAccount:${account}`, "roles/owner");
  const connection = connectCloud(await cloud.envOf(account));
  const at = { ...place, service: "", database: databaseName(place) };
  const platform = await openGcp(at, { kinds: [] }, connection);
  const { accounts } = platform;
  return { client: connection.client, accounts, apiKey: cloud.cloud.apiKey, close: () => platform.close() };
}

/** Plans and applies an application's cloud resources and grants as a deploy does. */
async function makeResources({ manifest, place }: RehearsedApp, client: CloudClient): Promise<void> {
  const cloud = openCloud(place, { client });
  const resources = desired({ manifest, place, images: {} }).filter(isRehearsed).map(forThisMachine);
  const outcomes = await apply(await planOf(resources, cloud), { cloud, now: lockClock.now });
  const failure = outcomes.find(({ state }) => state === "failed");
  if (failure !== undefined)
    throw new Error(`the rehearsal could not create ${describe(failure.step).title}`, { cause: failure.error });
}

/** False for `skippedKinds`, and for grants on secrets, because processes receive the secrets directly. */
function isRehearsed({ kind, id }: Resource): boolean {
  return !skippedKinds.has(kind) && !id.startsWith("//secretmanager.");
}

/** Allows pages of any origin to use a bucket's signed URLs, because rehearsed pages have an origin of this machine. */
function forThisMachine(resource: Resource): Resource {
  const { cors } = resource.spec;
  if (resource.kind !== "bucket" || !Array.isArray(cors)) return resource;
  return {
    ...resource,
    spec: { ...resource.spec, cors: cors.map((rule) => ({ ...(rule as object), origin: ["*"] })) },
  };
}
