import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { API } from "typescript/unstable/async";
import { ServerStopped } from "./failure.ts";
import { Transport, type TransportListeners } from "./transport.ts";

/**
 * Private members of TypeScript's client. fw needs them to reject queries to a dead server, which would never settle,
 * and to replace the client's process and transport, which load slowly.
 */
interface LibraryClient {
  process?: ChildProcess;
  connected: boolean;
  apiRequest(method: string, params: unknown): Promise<unknown>;
}

function clientOf(api: API): LibraryClient | undefined {
  return Reflect.get(api, "client") as LibraryClient | undefined;
}

export function processOf(api: API): ChildProcess | undefined {
  return clientOf(api)?.process;
}

export interface ServerCommand {
  readonly executable: string;
  readonly root: string;
  /** The file system methods, such as `readFile`, that the server calls in this process; by default, none. */
  readonly callbacks?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export function spawnServer({ executable, root, callbacks = [], env }: ServerCommand): ChildProcess {
  const args = ["--api", "--async", "--cwd", root];
  if (callbacks.length > 0) args.push(`--callbacks=${callbacks.join(",")}`);
  const server = spawn(executable, args, { stdio: ["pipe", "pipe", "inherit"], ...(env && { env }) });
  server.on("error", () => undefined);
  return server;
}

/** Connects the client to the launched server if it is alive, otherwise to a new one. Rejects if that cannot start. */
export async function startProcess(
  api: API,
  launched: ChildProcess | undefined,
  command: () => Promise<ServerCommand>,
): Promise<void> {
  const client = clientOf(api);
  if (!client) return;
  const isUsable = launched !== undefined && !hasEnded(launched);
  const server = isUsable ? launched : spawnServer(await command());
  client.process = server;
  client.connected = true;
  if (isUsable) setAwake(server, true);
  else await once(server, "spawn");
}

/** Replaces the client's transport with fw's. */
export function takeOver(api: API, listeners: TransportListeners): void {
  const { stdin, stdout } = processOf(api) ?? {};
  const client = clientOf(api);
  if (!client || !stdin || !stdout) return;
  stdout.removeAllListeners("data");
  const transport = new Transport(stdin, stdout, listeners);
  client.apiRequest = (method, params) => transport.ask(method, params);
}

/** Rejects when the server's process exits or can no longer be written to. */
export async function processEnd(api: API): Promise<never> {
  while (!processOf(api)) await new Promise((resolve) => setImmediate(resolve));
  return new Promise((_, reject) => {
    const server = processOf(api);
    const stop = (): void => reject(new ServerStopped("the TypeScript server stopped"));
    server?.stdin?.on("error", stop);
    if (!server || server.exitCode !== null || server.signalCode !== null) stop();
    else server.once("exit", stop);
  });
}

/** True if the server can no longer answer. Its pipe closes some time before the process exits. */
export function isGone(api: API): boolean {
  const server = processOf(api);
  return !server || hasEnded(server);
}

function hasEnded({ exitCode, signalCode, stdout }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null || stdout?.destroyed === true;
}

interface Handle {
  ref?(): void;
  unref?(): void;
}

/** Sets whether the server's process keeps this one alive. */
export function setAwake(server: ChildProcess | undefined, awake: boolean): void {
  const handles = [server, server?.stdin, server?.stdout] as readonly (Handle | null | undefined)[];
  for (const handle of handles) {
    if (awake) handle?.ref?.();
    else handle?.unref?.();
  }
}

/** Returns the path of the installed TypeScript's executable; rejects if there is none for this platform. */
export async function typeScriptExecutable(): Promise<string> {
  const installed = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  const getExePath = (await import(pathToFileURL(join(installed, "lib/getExePath.js")).href)) as { default(): string };
  return getExePath.default();
}
