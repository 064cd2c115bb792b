import type { PlatformGrant } from "../platform/grants.ts";

/** A program and its arguments, without the module to run. */
export type Program = readonly [path: string, ...args: string[]];

export const ownNode: Program = [process.execPath, "--enable-source-maps"];

/** A version of a service to start. */
export interface Release {
  readonly name: string;
  /** Identifies the code and the environment. A process of the same version is not replaced. */
  readonly version: string;
  /** The absolute path of the module to start. */
  readonly entry: string;
  /** The absolute path of the service's site files. */
  readonly site?: string;
  readonly env: Readonly<Record<string, string>>;
  /** The program that runs the module, `ownNode` by default. */
  readonly program?: Program;
  /** The number of the service's processes; 1 by default. */
  readonly processes?: number;
  readonly grants: readonly PlatformGrant[];
}
