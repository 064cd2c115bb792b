import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Copies an example for a test to edit. Its dependencies resolve as in the workspace. */
export async function copyOfExample(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `fw-${name}-`));
  await cp(join(root, "examples", name), directory, {
    recursive: true,
    filter: (path) => !path.includes("node_modules") && !path.endsWith("/.fw"),
  });
  await symlink(join(root, "node_modules"), join(directory, "node_modules"));
  return directory;
}

export interface DevServer extends AsyncDisposable {
  readonly url: string;
  readonly directory: string;
  readonly child: ChildProcess;
  /** Returns the output so far. */
  output(): string;
  /** Resolves once the output contains `text`. */
  printed(text: string): Promise<void>;
}

/** Starts `fw dev` on a free port. */
export async function startDev(directory: string, ...args: string[]): Promise<DevServer> {
  const child = spawn(process.execPath, [join(root, "packages/fw/bin/fw.js"), "dev", "--port", "0", ...args], {
    cwd: directory,
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      for (const look of waiting) look();
    });
  }
  const printed = (pattern: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (typeof pattern === "string" ? !text.includes(pattern) : !pattern.test(text)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      child.once("exit", (code) => reject(new Error(`fw dev ended with ${code}:\n${text}`)));
      look();
    });
  await printed(/http:\/\/\S+:\d+/);
  const url = /http:\/\/[^\s/]+:\d+/.exec(text)?.[0] ?? "";
  return {
    url,
    directory,
    child,
    output: () => text,
    printed,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        child.kill("SIGTERM");
        await ended;
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}
