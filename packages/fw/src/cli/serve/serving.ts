import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Running } from "../../workspace/running.ts";

/** How commands reach the server that runs on some data. */
export interface Serving extends Running {
  /** The origin at which it serves the platform. */
  readonly platform: string;
}

/** Lets commands of the same user find the server. Who opened the data writes it, so that there is no other. */
export function announceServing(data: string, serving: Serving): void {
  rmSync(pathOf(data), { force: true });
  writeFileSync(pathOf(data), `${JSON.stringify(serving)}\n`, { mode: 0o600 });
}

export function withdrawServing(data: string): void {
  if (findServing(data)?.pid === process.pid) rmSync(pathOf(data), { force: true });
}

/** The server that runs on some data; one that was killed may still be named. */
export function findServing(data: string): Serving | undefined {
  try {
    return JSON.parse(readFileSync(pathOf(data), "utf8")) as Serving;
  } catch {
    return undefined;
  }
}

function pathOf(data: string): string {
  return join(data, "serving.json");
}
