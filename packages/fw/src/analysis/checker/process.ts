import type { ChildProcess } from "node:child_process";
import type { API } from "typescript/unstable/async";
import { ServerStopped } from "./failure.ts";

/** What the library keeps to itself; a dead server would otherwise leave questions open for ever. */
interface Client {
  readonly process?: ChildProcess;
  connect(): Promise<void>;
}

export function clientOf(api: API): Client | undefined {
  return Reflect.get(api, "client") as Client | undefined;
}

export function processOf(api: API): ChildProcess | undefined {
  return clientOf(api)?.process;
}

/** A failed write rejects the question and one more promise that nobody holds; the server's end tells the same. */
export function muteFailedWrites(server: ChildProcess | undefined): void {
  if (!server?.stdin) return;
  const write = server.stdin.write.bind(server.stdin) as (...args: unknown[]) => boolean;
  server.stdin.write = (...args: unknown[]) => write(...args.map(muted));
}

function muted(done: unknown): unknown {
  return typeof done === "function" ? (error: unknown) => void (error ?? done()) : done;
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
  return !server || server.exitCode !== null || server.signalCode !== null || server.stdout?.destroyed === true;
}

interface Handle {
  ref?(): void;
  unref?(): void;
}

/** Whether the process keeps this one alive. */
export function setAwake(api: API, awake: boolean): void {
  const server = processOf(api);
  const handles = [server, server?.stdin, server?.stdout] as readonly (Handle | null | undefined)[];
  for (const handle of handles) {
    if (awake) handle?.ref?.();
    else handle?.unref?.();
  }
}
