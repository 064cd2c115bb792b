import { realpathSync } from "node:fs";
import { startDev } from "../../dev/dev.ts";
import { NoDeclarations } from "../../dev/loop.ts";
import { portOwner } from "../../dev/port/port-owner.ts";
import { appRoot } from "../app-root.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { DevSettings } from "../commands/dev.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { sayWhileStopping, type StopRequests } from "../stop.ts";
import { terminal } from "./terminal.ts";

/** The same key press can arrive twice, from the terminal and through npm. */
const echoMs = 30;

const inspectsOne =
  "a debugger attaches to one process, and with --services each service has its own; leave --services out to debug";

/** Runs the dev server until it is told to stop. */
export async function runDev({ port, host, allowed, services, inspect }: DevSettings, io: IO): Promise<ExitCode> {
  const root = appRoot(io.cwd);
  const hosts = { listensOn: host, allowed };
  const stopping = stopRequests(io);
  const ending = new AbortController();
  try {
    if (services) {
      if (inspect !== undefined) throw new Refusal(inspectsOne);
      const { runServices } = await import("../services/run.ts");
      return await runServices({ root: realpathSync(root), port, hosts, stopping }, io);
    }
    const starting = startDev({
      root,
      port,
      hosts,
      inspect,
      env: io.env,
      console: terminal(root, host, io),
      signal: ending.signal,
    });
    const server = await Promise.race([starting, stopping.first]);
    // What is ended while it starts fails, which is nothing to tell.
    starting.catch(() => {});
    await stopping.first;
    if (server !== undefined) await sayWhileStopping(Promise.race([server.stop(), stopping.second]), io);
    return 0;
  } catch (error) {
    throw sentenceFor(error, root, port, host);
  } finally {
    ending.abort();
    stopping.done();
  }
}

function stopRequests(io: IO): StopRequests & { done(): void } {
  let firstAt: number | undefined;
  let onFirst: (() => void) | undefined;
  let onSecond: (() => void) | undefined;
  const first = new Promise<undefined>((resolve) => (onFirst = () => resolve(undefined)));
  const second = new Promise<void>((resolve) => (onSecond = resolve));
  const done = io.onStop(() => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      onFirst?.();
    } else if (now - firstAt > echoMs) onSecond?.();
  });
  return { first, second, done };
}

function sentenceFor(error: unknown, root: string, port: number, host: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (error instanceof NoDeclarations) return nothingDeclared(root);
  if (code === "EADDRINUSE") return new Refusal(portTaken(port));
  if (code === "EACCES")
    return new Refusal(`the system does not allow listening on port ${port}; try --port ${port + 8000}`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return new Refusal(`this machine has no address "${host}"`);
  return error;
}

function portTaken(port: number): string {
  const owner = portOwner(port);
  const by = owner === undefined ? "another program" : `process ${owner.pid} (${owner.command})`;
  return `port ${port} is taken by ${by}; stop it, or try --port ${port + 1}`;
}
