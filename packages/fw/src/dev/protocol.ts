import type { LiveState } from "./live/state.ts";
import type { Snapshot } from "../workspace/snapshot.ts";
import type { Change } from "../workspace/watch/watcher.ts";
import type { SeedMode } from "../workspace/seed-mode.ts";
import type { DataLocation } from "../workspace/branch-data.ts";
import type { OwnHosts } from "../lib/own-host.ts";

/** The changes from a child's current snapshot to the next one. */
export interface SnapshotDelta {
  readonly entry: string;
  readonly files: Readonly<Record<string, string | null>>;
  readonly sources: Readonly<Record<string, string | null>>;
  readonly exposed: Readonly<Record<string, readonly string[] | null>>;
  /** Files of the application that were edited. */
  readonly changed: readonly string[];
  /** True if files were added or removed, so that imports may resolve differently. */
  readonly pathsChanged: boolean;
}

/** Modules that the first snapshot is likely to contain. The child transforms and compiles them in advance. */
export interface PreparedModules {
  /** Source paths. The child reads them from disk, and again if the snapshot has a different text. */
  readonly sources?: readonly string[];
  /** Generated modules, by specifier. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The files saved since the last snapshot. */
export type Saved = Pick<SnapshotDelta, "changed" | "pathsChanged">;

/** The settings that an application process starts with. */
export interface Activation {
  /** The application's directory, absolute. */
  readonly root: string;
  readonly hosts: OwnHosts;
  readonly data: DataLocation;
  readonly seeds: SeedMode;
  readonly env: Readonly<Record<string, string>>;
  /** The same key for all processes of a dev server, so that forms stay valid after restarts. */
  readonly csrfKey: string;
  /** A public key in base64 that verifies calls by commands of the same user. */
  readonly callKey: string;
  readonly inspect: Inspect | undefined;
}

export type ToChild =
  | ({
      readonly type: "activate";
      /** True if the previous process may still be finishing requests and holding the data. */
      readonly replaces: boolean;
    } & Activation)
  /** Modules of the first load, for a process that is not activated yet. */
  | ({ readonly type: "prepare"; readonly root: string } & PreparedModules)
  /** Files that the next load will list as changed, so that the child can transform them in advance. */
  | { readonly type: "ahead"; readonly changed: readonly string[] }
  | { readonly type: "load"; readonly id: number; readonly build: number; readonly delta: SnapshotDelta }
  /** Keeps an unfinished load from going live. */
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "state"; readonly state: LiveState }
  | { readonly type: "connection"; readonly id: number }
  | { readonly type: "ping"; readonly id: number }
  | { readonly type: "drain" };

export type FromChild =
  | { readonly type: "ready" }
  /** The modules of a load are evaluated; indexes may still be filling. */
  | { readonly type: "evaluated"; readonly id: number }
  | { readonly type: "loaded"; readonly id: number; readonly evaluated: number }
  | { readonly type: "failed"; readonly id: number; readonly failure: Failure }
  | { readonly type: "accepted"; readonly id: number }
  | { readonly type: "pong"; readonly id: number }
  | { readonly type: "crashed"; readonly failure: Failure };

/** The reason why the application's code did not run or stopped running. */
export interface Failure {
  readonly message: string;
  /** The location in the application's source; lines and columns count from 1. */
  readonly at?: { readonly path: string; readonly line: number; readonly column: number };
  /** The stack trace with source positions, if code was running. */
  readonly stack?: string;
  /** True if the cause is outside the application's code, so that changing the code does not help. */
  readonly outside?: true;
}

export interface Inspect {
  readonly host: string;
  readonly port: number;
  /** Whether to wait for a debugger before the application's first line. */
  readonly wait: boolean;
}

export function savedIn(changes: readonly Change[]): Saved {
  return { changed: changes.map(({ path }) => path), pathsChanged: changes.some(({ kind }) => kind !== "changed") };
}

export function deltaBetween(before: Snapshot, after: Snapshot, saved: Saved): SnapshotDelta {
  return {
    entry: after.entry,
    files: differences(before.files, after.files, (a, b) => a === b),
    sources: differences(before.sources, after.sources, (a, b) => a === b),
    exposed: differences(before.exposed, after.exposed, sameNames),
    ...saved,
  };
}

/** Returns the values to set in `before` to get `after`; null deletes a key. */
function differences<T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
  same: (a: T, b: T) => boolean,
): Record<string, T | null> {
  const changes: Record<string, T | null> = {};
  if (before === after) return changes;
  for (const [path, value] of Object.entries(after)) {
    const previous = before[path];
    if (previous === undefined || !same(previous, value)) changes[path] = value;
  }
  for (const path of Object.keys(before)) if (!(path in after)) changes[path] = null;
  return changes;
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((name, i) => name === b[i]));
}
