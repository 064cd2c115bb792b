import { startDev, type DevServer } from "../../dev/dev.ts";
import type { SeedMode } from "../../workspace/seed-mode.ts";
import { locateData, type LocateData } from "../../workspace/branch-data.ts";
import type { IO } from "../io.ts";
import { terminal } from "./terminal.ts";

const host = "127.0.0.1";

export interface QuietOptions {
  readonly seeds?: SeedMode;
  readonly locate?: LocateData;
}

/**
 * Starts a dev server for a single command on a free port. Prints failures and notes, but not the start, reloads, type
 * errors and route clashes.
 */
export function startQuietly(
  root: string,
  io: IO,
  signal: AbortSignal,
  { seeds = "never", locate = () => locateData(root) }: QuietOptions = {},
): Promise<DevServer> {
  const hosts = { listensOn: host, allowedHosts: [] };
  const quiet = { ready: nothing, reloaded: nothing, typeErrors: nothing, clashes: nothing };
  const console = { ...terminal(root, host, io), ...quiet };
  return startDev({
    root,
    port: 0,
    hosts,
    locateData: locate,
    seeds,
    inspect: undefined,
    env: io.env,
    signal,
    console,
  });
}

function nothing(): void {}
