import { statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { hostname } from "node:os";
import type { Topology } from "../../topology/topology.ts";
import { version } from "../version.ts";
import type { OperatorLog } from "./operator-log.ts";

export interface ServerStateSource {
  readonly topology: Topology;
  /** The data directory, or the machine's own directory next to a database. */
  readonly directory: string;
  /** The directory of the running build. */
  readonly build: string;
  readonly hasDatabase: boolean;
  /** The time of the last backup in milliseconds since 1970; undefined if there was none since the start. */
  readonly lastBackup: () => number | undefined;
  readonly operators: OperatorLog;
  /** The share of ordinary requests whose traces to keep, and the duration of slow ones; undefined for no traces. */
  readonly traces: { readonly share: number; readonly slow: number } | undefined;
}

/** Returns a function that describes a server: its versions, services, disk, backups and changes. */
export function serverState(source: ServerStateSource): () => Promise<object> {
  const started = Date.now();
  const { topology, directory, build, hasDatabase, lastBackup, operators, traces } = source;
  return async () => {
    const { bavail, blocks, bsize } = await statfs(directory);
    return {
      versions: { fw: version(), node: process.version, build: statSync(build).mtimeMs },
      machine: hostname(),
      started,
      disk: { directory, free: bavail * bsize, total: blocks * bsize },
      data: hasDatabase ? "database" : "directory",
      backup: lastBackup() ?? null,
      services: [...topology.pools].map(([name, { processes }]) => ({
        name,
        processes: processes.length,
        listening: processes.filter(({ isListening }) => isListening).length,
        inProgress: processes.reduce((sum, { workCount }) => sum + workCount, 0),
      })),
      traces: traces ?? null,
      changes: operators.list(),
    };
  };
}
