import type { ChildProcess } from "node:child_process";
import type { API } from "typescript/unstable/async";
import { ServerStopped } from "./failure.ts";
import { type Answer, Transport } from "./transport.ts";

/** What the library keeps to itself; a dead server would otherwise leave questions open for ever. */
interface Client {
  process?: ChildProcess;
  connected: boolean;
  connect(): Promise<void>;
  apiRequest(method: string, params: unknown): Promise<unknown>;
}

function clientOf(api: API): Client | undefined {
  return Reflect.get(api, "client") as Client | undefined;
}

export function processOf(api: API): ChildProcess | undefined {
  return clientOf(api)?.process;
}

/** Starts the server's process, or takes the one that was launched, as long as it lives. */
export async function startProcess(api: API, launched: ChildProcess | undefined): Promise<void> {
  const client = clientOf(api);
  if (!client || !launched || hasEnded(launched)) return client?.connect();
  client.process = launched;
  client.connected = true;
  setAwake(launched, true);
}

/** Has every question of the library go over a transport of ours, and those of the server be answered by `answer`. */
export function takeOver(api: API, answer?: Answer): void {
  const { stdin, stdout } = processOf(api) ?? {};
  const client = clientOf(api);
  if (!client || !stdin || !stdout) return;
  stdout.removeAllListeners("data");
  const transport = new Transport(stdin, stdout, answer);
  client.apiRequest = (method, params) => transport.ask(method, params);
}

/** Rejects once the process is gone. */
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

/** Whether nothing can be asked any more; the pipe is closed some time before the process counts as gone. */
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

/** Whether the process keeps this one alive. */
export function setAwake(server: ChildProcess | undefined, awake: boolean): void {
  const handles = [server, server?.stdin, server?.stdout] as readonly (Handle | null | undefined)[];
  for (const handle of handles) {
    if (awake) handle?.ref?.();
    else handle?.unref?.();
  }
}
