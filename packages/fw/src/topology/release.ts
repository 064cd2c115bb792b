import type { Grant } from "../platform/grants.ts";

/** A service as it is to run. */
export interface Release {
  readonly name: string;
  /** Of its code and of its environment: a process of the same version runs on. */
  readonly version: string;
  /** Of the module to start, absolute. */
  readonly entry: string;
  /** The directory of its site's files, absolute. */
  readonly site?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Options of Node for its process. */
  readonly nodeOptions?: readonly string[];
  /** What it may do on the platform. */
  readonly grants: readonly Grant[];
}
