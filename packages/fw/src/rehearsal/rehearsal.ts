import type { Manifest } from "../build/manifest.ts";
import { drainMs } from "../lib/limits.ts";
import { untilAborted } from "../lib/until-aborted.ts";
import { atMost } from "../platform/clock.ts";
import { connectCloud } from "../platform/gcp/cloud.ts";
import { openGcp } from "../platform/gcp/open.ts";
import { databaseName } from "../platform/gcp/names.ts";
import type { RehearsalCloud } from "./cloud.ts";
import type { Deployed } from "./deployed.ts";
import { openRehearsalFront, type RehearsalFront } from "./front.ts";
import { Instance, type RehearsalConsole, type Run } from "./instance.ts";
import { makeResources } from "./resources.ts";
import { makeTestUsers, signInBody } from "./sign-in.ts";

/** The environment that an application is rehearsed in. */
const rehearsed = "test";

export interface RehearsalOptions extends Omit<RehearsalFront, "signIn" | "line"> {
  readonly manifest: Manifest;
  readonly runs: readonly Run[];
  readonly console: RehearsalConsole;
  /** Ends a start that is running. */
  readonly signal: AbortSignal;
}

/** An application that runs as it is built for Google Cloud, on a cloud of this machine. */
export interface Rehearsal {
  readonly port: number;
  /** Lets requests and deliveries end. */
  stop(): Promise<void>;
  /** Has `stop` come to its end at once. */
  kill(): void;
}

/** Deploys an application to a cloud that stands in for Google's, and runs its services as processes. Who made the cloud stops it. */
export async function rehearse(cloud: RehearsalCloud, options: RehearsalOptions): Promise<Rehearsal> {
  const { manifest, runs, console, signal, ...front } = options;
  const { id, number, region } = cloud.project;
  const place = { app: manifest.app, env: rehearsed, project: id, projectNumber: number, region };
  const deployed: Deployed = { cloud, manifest, place };
  const deployer = await deploying(deployed);
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
    const signIn: RehearsalFront["signIn"] = (request) => signInBody(deployer, request);
    const line = (text: string): void => console.line("front", text);
    const server = await openRehearsalFront(deployed, { ...front, signIn, line });
    return {
      port: server.port,
      kill: () => {
        server.cut();
        for (const instance of instances) instance.kill();
      },
      stop: async () => {
        const closed = server.close();
        // Sockets end with their service, which tells its visitors.
        await atMost(server.answered(), drainMs);
        await Promise.all([closed, stopAll()]);
      },
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** Who deploys: the owner of the project. */
async function deploying({ cloud, place }: Deployed) {
  const account = `deployer@${place.project}.iam.gserviceaccount.com`;
  cloud.grant(`serviceAccount:${account}`, "roles/owner");
  const connected = connectCloud(await cloud.envOf(account));
  const at = { ...place, service: "", database: databaseName(place) };
  const platform = await openGcp(at, { kinds: [] }, connected);
  const { accounts } = platform;
  return { client: connected.client, accounts, apiKey: cloud.cloud.apiKey, close: () => platform.close() };
}
