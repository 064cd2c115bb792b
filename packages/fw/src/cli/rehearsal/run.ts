import { rm } from "node:fs/promises";
import { join } from "node:path";
import { siteDirectory } from "../../build/directories.ts";
import { manifestOf, type BuiltApp, type ManifestService } from "../../build/manifest.ts";
import { writeService } from "../../build/write.ts";
import { isOwnHost } from "../../lib/own-host.ts";
import { counted } from "../../lib/counted.ts";
import type { RehearsalCloud } from "../../rehearsal/cloud.ts";
import type { ServiceRun } from "../../rehearsal/instance.ts";
import { rehearse, type Rehearsal } from "../../rehearsal/rehearsal.ts";
import { testPassword } from "../../rehearsal/sign-in.ts";
import { builtApp } from "../build/built-app.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { secretValues } from "../services/environment.ts";
import type { ServicesLocation } from "../services/launch.ts";
import { serviceLine, slowSentence } from "../services/line.ts";
import { sayWhileStopping, type StopRequests } from "../stop.ts";
import { ownDirectory } from "../../lib/own-modules.ts";
import { resolvedFrom } from "../../lib/resolved-from.ts";

/** The package that simulates Google Cloud. It is not published. */
const packageName = "fake-cloud";

const missing = `fw dev --cloud needs the package ${packageName} from the fw repository, which is not published: run fw from a checkout of the repository, or link packages/${packageName} into the application's node_modules`;

export interface RehearsalSettings extends ServicesLocation {
  readonly stopping: StopRequests;
}

const limits =
  "This is a rehearsal on a simulated cloud in memory: it keeps no data, sends no mail, and does not model Google's quotas, latencies and indexes. See docs/cloud.md.";

/** Runs an application, built for Google Cloud, on a simulated cloud until the user stops it. */
export async function runRehearsal({ root, port, hosts, stopping }: RehearsalSettings, io: IO): Promise<ExitCode> {
  const faults = faultsOf(io.env["FW_CLOUD_FAULTS"]);
  const ending = new AbortController();
  void stopping.first.then(() => ending.abort(new Error("the rehearsal is stopping")));
  io.progress.step("starting the simulated cloud");
  const cloud = await startCloud(root);
  try {
    const built = await builtApp(root, "gcp", io);
    if (built === undefined) return 1;
    const rehearsal = await start(cloud, built, { root, port, hosts }, io, ending.signal);
    io.progress.end();
    cloud.follow(faults);
    void stopping.second.then(() => rehearsal.kill());
    const address = `${built.app.name} runs at http://localhost:${rehearsal.port}, as on Google Cloud`;
    const users = `Test users: alice@example.com and bob@example.com, password "${testPassword}"`;
    io.out.write(`${address}\n${users}\n${limits}\n`);
    await stopping.first;
    await sayWhileStopping(rehearsal.stop(), io);
    return 0;
  } catch (error) {
    if (ending.signal.aborted) return 0;
    throw error;
  } finally {
    await cloud.stop();
  }
}

async function start(
  cloud: RehearsalCloud,
  built: BuiltApp,
  { root, port, hosts }: ServicesLocation,
  io: IO,
  signal: AbortSignal,
): Promise<Rehearsal> {
  const manifest = manifestOf(built);
  const directory = join(root, ".fw", "cloud");
  await rm(directory, { recursive: true, force: true });
  for (const service of built.services) await writeService(root, join(directory, service.service.name), service);
  io.progress.step(`starting ${counted(manifest.services.length, "service")} on the simulated cloud`);
  const printLine = (service: string, line: string): void => io.out.write(serviceLine(service, line));
  try {
    return await rehearse(cloud, {
      app: built.app,
      manifest,
      listens: { port, host: hosts.listensOn },
      isOwnHost: (header) => isOwnHost(header, hosts),
      releases: manifest.services.map(({ name, site }) => ({
        name,
        ...(site !== "" && { site: join(directory, name, siteDirectory) }),
      })),
      runs: manifest.services.map((service) => runOf(service, directory, secretValues(root, io.env, built.app))),
      console: {
        line: printLine,
        slow: (service, seconds) => io.out.write(`${slowSentence(service, seconds)}\n`),
        exited: (service, how) => printLine(service, `restarted after it ended: ${how}`),
      },
      signal,
    });
  } catch (error) {
    if (isStartFailure(error)) throw new Refusal(`${error.message}; see its output above`);
    throw error;
  }
}

function isStartFailure(error: unknown): error is Error {
  return error instanceof Error && /^the service \S+ does not start/.test(error.message);
}

/** Returns how to run a service. It gets only its own secrets from the shell's environment, as when deployed. */
function runOf(service: ManifestService, directory: string, values: IO["env"]): ServiceRun {
  const secrets = service.secrets.flatMap((name): [string, string][] => {
    const value = values[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { service, entry: join(directory, service.name, "main.js"), secrets: Object.fromEntries(secrets) };
}

interface FakeCloudModule {
  readonly startFakeCloud: () => Promise<RehearsalCloud>;
}

/**
 * Starts the simulated cloud from the package next to the application or next to fw. Rejects with a Refusal if it is
 * missing.
 */
async function startCloud(root: string): Promise<RehearsalCloud> {
  const { startFakeCloud } = await load(root);
  return startFakeCloud();
}

async function load(root: string): Promise<FakeCloudModule> {
  for (const from of [root, ownDirectory]) {
    const url = resolvedFrom(from, packageName);
    if (url !== undefined) return (await import(url)) as FakeCloudModule;
  }
  throw new Refusal(missing);
}

function faultsOf(text = "{}"): object {
  try {
    const faults: unknown = JSON.parse(text);
    if (typeof faults === "object" && faults !== null) return faults;
  } catch {
    // Refused below, as are other values that are not objects.
  }
  throw new Refusal(`FW_CLOUD_FAULTS must be JSON such as {"probability":0.01}, not ${JSON.stringify(text)}`);
}
