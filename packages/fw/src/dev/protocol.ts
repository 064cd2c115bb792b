import type { LiveState } from "./live/state.ts";
import type { Snapshot } from "../workspace/snapshot.ts";
import type { Change } from "../workspace/watch/watcher.ts";
import type { OwnHosts } from "../lib/own-host.ts";

/** What changed between the snapshot a child has and the one it shall have. */
export interface SnapshotDelta {
  readonly entry: string;
  readonly files: Readonly<Record<string, string | null>>;
  readonly sources: Readonly<Record<string, string | null>>;
  readonly exposed: Readonly<Record<string, readonly string[] | null>>;
  /** Files of the application that were edited. */
  readonly changed: readonly string[];
  /** Some of them came or went, so imports may lead elsewhere. */
  readonly moved: boolean;
}

/** What was saved since the last snapshot. */
export type Saved = Pick<SnapshotDelta, "changed" | "moved">;

/** What a process of the application is started with. */
export interface Activation {
  /** The application's directory, absolute. */
  readonly root: string;
  readonly hosts: OwnHosts;
  readonly env: Readonly<Record<string, string>>;
  /** The same for every process of one dev server, so that forms outlive a restart. */
  readonly csrfKey: string;
  /** Tells calls of commands of the same user, a public key in base64. */
  readonly callKey: string;
  readonly inspect: Inspect | undefined;
}

export type ToChild =
  | ({
      readonly type: "activate";
      /** True where the process before it may still finish requests, with the data in its hands. */
      readonly replaces: boolean;
    } & Activation)
  /** Files that the next load will name as changed: what can be done with them alone may begin. */
  | { readonly type: "ahead"; readonly changed: readonly string[] }
  | { readonly type: "load"; readonly id: number; readonly build: number; readonly delta: SnapshotDelta }
  /** A load that has not ended must not go live any more. */
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "state"; readonly state: LiveState }
  | { readonly type: "connection"; readonly id: number }
  | { readonly type: "ping"; readonly id: number }
  | { readonly type: "drain" };

export type FromChild =
  | { readonly type: "ready" }
  /** The modules of a load are evaluated; indexes may still be filled. */
  | { readonly type: "evaluated"; readonly id: number }
  | { readonly type: "loaded"; readonly id: number; readonly evaluated: number }
  | { readonly type: "failed"; readonly id: number; readonly failure: Failure }
  | { readonly type: "accepted"; readonly id: number }
  | { readonly type: "pong"; readonly id: number }
  | { readonly type: "crashed"; readonly failure: Failure };

/** Why the application's code did not run, or stopped running. */
export interface Failure {
  readonly message: string;
  /** Where, when it is a place in the application's source; lines and columns count from 1. */
  readonly at?: { readonly path: string; readonly line: number; readonly column: number };
  /** The stack with the source's positions, when code was running. */
  readonly stack?: string;
  /** The application's code has no part in it, and mending that mends nothing. */
  readonly outside?: true;
}

export interface Inspect {
  readonly host: string;
  readonly port: number;
  /** Stop before the application's first line until a debugger is there. */
  readonly wait: boolean;
}

export function savedIn(changes: readonly Change[]): Saved {
  return { changed: changes.map(({ path }) => path), moved: changes.some(({ kind }) => kind !== "changed") };
}

export function deltaBetween(before: Snapshot | undefined, after: Snapshot, saved: Saved): SnapshotDelta {
  return {
    entry: after.entry,
    files: differences(before?.files ?? {}, after.files, (a, b) => a === b),
    sources: differences(before?.sources ?? {}, after.sources, (a, b) => a === b),
    exposed: differences(before?.exposed ?? {}, after.exposed, sameNames),
    ...saved,
  };
}

/** What to set, and as null what to delete, to make `before` like `after`. */
function differences<T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
  same: (a: T, b: T) => boolean,
): Record<string, T | null> {
  const changes: Record<string, T | null> = {};
  for (const [path, value] of Object.entries(after)) {
    const known = before[path];
    if (known === undefined || !same(known, value)) changes[path] = value;
  }
  for (const path of Object.keys(before)) if (!(path in after)) changes[path] = null;
  return changes;
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((name, i) => name === b[i]));
}
