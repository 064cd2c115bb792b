import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { patienceMs } from "./patience.ts";

/** Returns the ids of `pid`'s descendants whose command line matches `commandLine`, by default all. Linux only. */
export function descendants(pid: number, commandLine = /(?:)/): number[] {
  const children = childrenByParent();
  const foundPids: number[] = [];
  const queue = [pid];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const child of children.get(next) ?? []) {
      foundPids.push(child);
      queue.push(child);
    }
  }
  return foundPids.filter((each) => commandLine.test(commandLineOf(each)));
}

/** Returns the ids of processes that work in a directory or run a file below it. Linux only. */
export function processesBelow(directory: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids
    .map(Number)
    .filter((pid) => commandLineOf(pid).includes(directory) || workingDirectoryOf(pid) === directory);
}

/** Kills the processes that are still running. */
export function endAtOnce(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** Resolves when all processes have exited. */
export async function allGone(pids: readonly number[]): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (pids.some(runs)) {
    if (performance.now() > deadline) throw new Error(`still running: ${pids.filter(runs).join(", ")}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function runs(pid: number): boolean {
  const stat = statOf(String(pid));
  return stat !== undefined && stat.state !== "Z";
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? statOf(name) : undefined;
    if (stat) children.set(stat.parent, [...(children.get(stat.parent) ?? []), Number(name)]);
  }
  return children;
}

/** Returns the working directory of a process; "" if it has exited or belongs to another user. */
function workingDirectoryOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

/** Returns the command line of a process; "" if it has exited. */
function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

function statOf(pid: string): { readonly state: string; readonly parent: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return { state: fields[0] ?? "", parent: Number(fields[1]) };
  } catch {
    return undefined;
  }
}
