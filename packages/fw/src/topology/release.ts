import type { Grant } from "../platform/grants.ts";

/** A version of a service to run. */
export interface Release {
  readonly name: string;
  /** Identifies code and environment; a process of the same version keeps running. */
  readonly version: string;
  /** The absolute path of the module to start. */
  readonly entry: string;
  /** The absolute path of its site's files. */
  readonly site?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Node options for its process. */
  readonly nodeOptions?: readonly string[];
  /** Its platform grants. */
  readonly grants: readonly Grant[];
}
