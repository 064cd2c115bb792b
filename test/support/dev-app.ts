import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request, type Agent } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { patienceMs } from "./patience.ts";
import { allGone, descendants, endAtOnce } from "./processes.ts";

const packageDir = fileURLToPath(new URL("../../packages/fw", import.meta.url));
const bin = join(packageDir, "bin/fw.js");

/**
 * The longest pause between two polls, in milliseconds. If all were short, polling would take CPU time from the process
 * under test.
 */
const longestPauseMs = 32;

/** Writes an application into a new directory. It imports fw like users do and has the settings of `fw new`. */
export function writeApplication(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "fw-dev-")));
  mkdirSync(join(root, "node_modules"));
  symlinkSync(packageDir, join(root, "node_modules/fw"));
  writeFiles(root, {
    "package.json": `{ "name": "app", "type": "module" }`,
    "tsconfig.json": readFileSync(join(packageDir, "templates/common/tsconfig.json"), "utf8"),
    ...files,
  });
  return root;
}

/** Writes files below a directory. */
export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A running `fw dev`. */
export interface Dev extends AsyncDisposable {
  readonly root: string;
  readonly process: ChildProcess;
  readonly port: number;
  /** Returns the output so far. */
  output(): string;
  write(files: Readonly<Record<string, string>>): void;
  get(path?: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Repeats the request until the response satisfies `enough`. */
  eventually(
    path: string,
    enough: (answer: Answer) => boolean,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** Resolves once the output after `from` contains `text`. */
  says(text: string, from?: number): Promise<void>;
  readonly exited: Promise<number | NodeJS.Signals>;
}

export async function startDev(files: Readonly<Record<string, string>>, ...args: string[]): Promise<Dev> {
  const dev = launchDev(writeApplication(files), args);
  await dev.says("http://localhost:");
  return dev;
}

/** Starts `fw dev` without waiting until it serves. The port is known once the command prints it. */
export function launchDev(root: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Dev {
  const child = spawn(process.execPath, [bin, "dev", "--port", "0", ...args], {
    cwd: root,
    env: { ...cleanEnv(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let hasEnded = false;
  const waiting = new Set<() => void>();
  const look = (): void => waiting.forEach((each) => each());
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      look();
    });
  }
  const exited = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once("close", (code, signal) => {
      hasEnded = true;
      resolve(code ?? signal ?? 0);
      look();
    }),
  );

  function says(text: string, from = 0): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (output.slice(from).includes(text)) resolve();
        else if (hasEnded) reject(new Error(`it ended without saying "${text}":\n${output}`));
        else return;
        waiting.delete(check);
      };
      waiting.add(check);
      check();
    });
  }

  const portOf = (): number => Number(/http:\/\/localhost:(\d+)/.exec(output)?.[1]);
  const get: Dev["get"] = (path = "/", headers = {}) => ask(portOf(), path, headers);
  return {
    root,
    process: child,
    get port() {
      return portOf();
    },
    output: () => output,
    write: (files) => writeFiles(root, files),
    get,
    eventually: async (path, enough, headers) => {
      const deadline = performance.now() + patienceMs;
      for (let pauseMs = 2; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        const answer = await get(path, headers).catch(() => undefined);
        if (answer && enough(answer)) return answer;
        if (performance.now() > deadline)
          throw new Error(`never satisfied; last: ${JSON.stringify(answer)}\n${output}`);
        await setTimeout(pauseMs);
      }
    },
    says,
    exited,
    [Symbol.asyncDispose]: async () => {
      const processes = hasEnded || child.pid === undefined ? [] : [child.pid, ...descendants(child.pid)];
      endAtOnce(processes);
      await exited;
      // The processes may write below the directory until all of them have exited.
      await allGone(processes);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Sends one request, by default on a new connection. */
export function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  agent: Agent | false = false,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, host: "127.0.0.1", path, headers, agent }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
      response.on("error", reject);
    });
    outgoing.on("error", reject).end();
  });
}

function cleanEnv(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, NODE_ENV: _env, VITEST: _vitest, ...env } = process.env;
  return { ...env, NO_COLOR: "1" };
}
