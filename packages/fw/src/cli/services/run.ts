import { hasSignIn } from "../../model/declarations.ts";
import { newCallKeys } from "../../platform/calls.ts";
import { CallVerifier } from "../../platform/call-verifier.ts";
import { isOwnHost, type OwnHosts } from "../../dev/port/own-host.ts";
import { announce, devCall, withdraw } from "../../dev/running.ts";
import type { LocalPlatform } from "../../platform/local/open.ts";
import { startTopology, type Topology } from "../../topology/topology.ts";
import { AppBuilder, type BuiltApp } from "../build/builder.ts";
import type { ExitCode } from "../command.ts";
import { openData } from "../data/open.ts";
import { sayWhileStopping, type StopRequests } from "../dev/stop.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { serviceLine } from "./line.ts";
import { ServicesLoop } from "./loop.ts";
import { ReleasePlan } from "./plan.ts";

export interface ServicesOptions {
  readonly root: string;
  readonly port: number;
  readonly hosts: OwnHosts;
  readonly stopping: StopRequests;
}

/** Runs every service in a process of its own until it is told to stop, and follows the files that they are made of. */
export async function runServices(options: ServicesOptions, io: IO): Promise<ExitCode> {
  const { root } = options;
  // Watching comes first: what is saved while the application is built is built again.
  const loop = new ServicesLoop(root, io);
  const builder = new AppBuilder(root, io);
  try {
    const built = await builder.build();
    if (built === undefined) return 1;
    if (built.app.packages.length === 0) throw nothingDeclared(root);
    const platform = await openData(root, built.app);
    try {
      await runOn(platform, { loop, builder, built }, options, io);
    } finally {
      await platform.close();
    }
    return 0;
  } finally {
    await loop.stop();
    builder.close();
  }
}

async function runOn(
  platform: LocalPlatform,
  { loop, builder, built }: { readonly loop: ServicesLoop; readonly builder: AppBuilder; readonly built: BuiltApp },
  options: ServicesOptions,
  io: IO,
): Promise<void> {
  const { root, hosts, stopping } = options;
  const commands = newCallKeys();
  const plan = new ReleasePlan(root, io.env);
  const starting = start(platform, plan, built, commands.publicKey, options, io);
  const topology = await Promise.race([starting, stopping.first.then(() => undefined)]);
  if (topology === undefined) return end(await starting, stopping.second, io);
  const { port } = topology;
  announce(root, { port, host: hosts.listensOn, pid: process.pid, callKey: commands.privateKey });
  loop.begin({ platform, topology, plan, builder, built });
  io.out.write(`${built.app.name} is at http://localhost:${port}, ${topology.processes.size} services\n`);
  await stopping.first;
  withdraw(root);
  await Promise.all([loop.stop(), end(topology, stopping.second, io)]);
}

async function end(topology: Topology, atOnce: Promise<void>, io: IO): Promise<void> {
  void atOnce.then(() => topology.kill());
  await sayWhileStopping(topology.stop(), io);
}

async function start(
  platform: LocalPlatform,
  plan: ReleasePlan,
  built: BuiltApp,
  commandKey: string,
  { hosts, port }: ServicesOptions,
  io: IO,
): Promise<Topology> {
  const commands = new CallVerifier(devCall.audience, { [devCall.invoker]: commandKey });
  const signsIn = hasSignIn(built.app);
  return startTopology(built.app, await plan.releasesOf(built), {
    platform,
    port,
    host: hosts.listensOn,
    isCommand: (token) => commands.refusal(token, devCall.invoker, Date.now()) === undefined,
    isOwnHost: (header) => isOwnHost(header, hosts),
    ...(signsIn && { pages: new URL("../../dev/local-pages.js", import.meta.url).href }),
    console: {
      line: (service, line) => io.out.write(serviceLine(service, line)),
      ended: (service, how) => io.out.write(`the service ${service} is started again: ${how}\n`),
      failed: (service, how) =>
        io.out.write(`the service ${service} does not start: ${how}. Save a fix, and it is started again\n`),
    },
  });
}
