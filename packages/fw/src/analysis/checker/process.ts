import type { ChildProcess } from "node:child_process";
import type { API } from "typescript/unstable/async";
import { ServerStopped } from "./failure.ts";
import { type AnswerFileQuestion, Transport } from "./transport.ts";

/**
 * Private members of TypeScript's client. fw needs them to reject queries to a dead server, which would never settle.
 */
interface LibraryClient {
  process?: ChildProcess;
  connected: boolean;
  connect(): Promise<void>;
  apiRequest(method: string, params: unknown): Promise<unknown>;
}

function clientOf(api: API): LibraryClient | undefined {
  return Reflect.get(api, "client") as LibraryClient | undefined;
}

export function processOf(api: API): ChildProcess | undefined {
  return clientOf(api)?.process;
}

/** Starts the server's process, or uses the launched one if it is alive. */
export async function startProcess(api: API, launched: ChildProcess | undefined): Promise<void> {
  const client = clientOf(api);
  if (!client || !launched || hasEnded(launched)) return client?.connect();
  client.process = launched;
  client.connected = true;
  setAwake(launched, true);
}

/** Replaces the client's transport with fw's; `answer` handles the server's own requests. */
export function takeOver(api: API, answer?: AnswerFileQuestion): void {
  const { stdin, stdout } = processOf(api) ?? {};
  const client = clientOf(api);
  if (!client || !stdin || !stdout) return;
  stdout.removeAllListeners("data");
  const transport = new Transport(stdin, stdout, answer);
  client.apiRequest = (method, params) => transport.ask(method, params);
}

/** Rejects when the process exits. */
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
