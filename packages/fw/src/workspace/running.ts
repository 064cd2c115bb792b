import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** How other commands reach the dev server that serves an application. */
export interface Running {
  readonly port: number;
  readonly host: string;
  readonly pid: number;
  /** With which commands sign their calls, a private key in base64. */
  readonly callKey: string;
}

/** On one port everything is one service, and who calls it for the platform is a command of the same user. */
export const devCall = { audience: "fw-dev", invoker: "fw-command" } as const;

/** Lets commands of the same user find the dev server. */
export function announce(root: string, running: Running): void {
  const path = pathOf(root);
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  writeFileSync(path, `${JSON.stringify(running)}\n`, { mode: 0o600 });
}

/** Takes it back, where it is still this process's own. */
export function withdraw(root: string): void {
  if (findRunning(root)?.pid === process.pid) rmSync(pathOf(root), { force: true });
}

/** The dev server of an application; one that was killed may still be named. */
export function findRunning(root: string): Running | undefined {
  try {
    return JSON.parse(readFileSync(pathOf(root), "utf8")) as Running;
  } catch {
    return undefined;
  }
}

function pathOf(root: string): string {
  return join(root, ".fw", "dev.json");
}
