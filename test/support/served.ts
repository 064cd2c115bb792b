import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { bin } from "./build.ts";

/** A running `fw serve`. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
  /** Starts a process that inherits a socket, which waits for this call. Does nothing for other processes. */
  begin(): void;
  /** Returns the output so far. */
  output(): string;
  /** Returns the lines of its log that contain `text`. */
  lines(text: string): readonly Readonly<Record<string, unknown>>[];
  /** Resolves once it has printed `text` after position `from`. */
  printed(text: string, from?: number): Promise<void>;
  /** Sends a signal, waits for the process to exit, and resolves with the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ServeOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Node's arguments before the command. */
  readonly nodeOptions?: readonly string[];
  /** The port; by default, a free one. */
  readonly port?: number;
  /** The descriptor of a listening socket, passed like systemd does. */
  readonly handed?: number;
}

/** The number of processes for each service that may have several; FW_PROCESSES=2 for two. */
export const processesOfService = Number(process.env["FW_PROCESSES"] ?? 1);

/** Starts `fw serve` and waits until it serves. Rejects with its output if it exits first. */
export async function startServe(args: readonly string[], options: ServeOptions): Promise<Served> {
  return serving(launchServe(args, options));
}

/** Waits until a process serves. Returns it with its URL. */
export async function serving(served: Served): Promise<Served> {
  await served.printed('"message":"serving"');
  return { ...served, url: `http://127.0.0.1:${String(served.lines('"serving"')[0]?.["port"])}` };
}

/** Starts `fw serve` without waiting until it serves. */
export function launchServe(
  args: readonly string[],
  { cwd, env = {}, nodeOptions = [], port = 0, handed }: ServeOptions,
): Served {
  const processes = processesOfService === 1 ? [] : ["--processes", String(processesOfService)];
  const command = [process.execPath, ...nodeOptions, bin, "serve", "--port", String(port), ...processes, ...args];
  // LISTEN_PID must be the new process's ID, so a shell sets it and then executes the command.
  const withListenPid = ["sh", "-c", 'read -r _; LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"', "sh"];
  const [first = "", ...rest] = handed === undefined ? command : [...withListenPid, ...command];
  const child = spawn(first, rest, {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
    stdio: handed === undefined ? ["ignore", "pipe", "pipe"] : ["pipe", "pipe", "pipe", handed],
  });
  let text = "";
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      for (const look of waiting) look();
    });
  }
  const closed = once(child, "close") as Promise<[number | null]>;
  return {
    url: "",
    child,
    begin: () => void child.stdin?.end("\n"),
    output: () => text,
    lines: (pattern) =>
      text
        .split("\n")
        .filter((line) => line.startsWith("{") && line.includes(pattern))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    printed: (pattern, from = 0) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!text.slice(from).includes(pattern)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        void closed.then(([code]) => reject(new Error(`fw serve ended with ${code}:\n${text}`)));
        look();
      }),
    async end(signal = "SIGTERM") {
      child.kill(signal);
      return (await closed)[0];
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await closed;
    },
  };
}
