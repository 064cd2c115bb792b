import type { Program } from "../../topology/release.ts";
import { programs, type Engine } from "./engine.ts";

/** The first major version of Node with a stable permission model. */
const isolatingSince = 24;

/** The first major version of Node with network permissions, which services then need. */
const holdsNetworkSince = 25;

/** The values of `--allow`, each with the corresponding options of Node and Deno. */
const widenings: Readonly<Record<string, { readonly node: readonly string[]; readonly deno: readonly string[] }>> = {
  addons: { node: ["--allow-addons"], deno: ["--allow-ffi"] },
  "child-processes": { node: ["--allow-child-process"], deno: ["--allow-run"] },
  // In Deno, workers and WebAssembly have the permissions of their process.
  workers: { node: ["--allow-worker"], deno: [] },
  wasi: { node: ["--allow-wasi"], deno: [] },
  // In Deno, permissions also apply to databases.
  sqlite: { node: [], deno: [] },
};

/** The access that an operator grants to services, beyond their own files. */
export interface Isolation {
  /** False if services run without a permission model. */
  readonly isIsolated: boolean;
  /** The names passed with `--allow`, such as `workers`. */
  readonly extras: readonly string[];
  /** Absolute paths that services may read and write in addition to their own. */
  readonly read: readonly string[];
  readonly write: readonly string[];
}

export interface ServiceFiles {
  /** Directories that the service may read, absolute and without links. */
  readonly read: readonly string[];
  readonly temporary: string;
}

/** Parses the values of `--allow`. Throws an error that names the first invalid one. */
export function readIsolation(values: readonly string[]): Isolation {
  const paths: Record<"read" | "write", string[]> = { read: [], write: [] };
  const extras: string[] = [];
  for (const value of values) {
    const [, access, path] = /^(read|write)=(\/.*)$/s.exec(value) ?? [];
    if (path !== undefined) paths[access as "read" | "write"].push(path);
    else if (Object.hasOwn(widenings, value)) extras.push(value);
    else if (value !== "all") {
      const names = [...Object.keys(widenings), "read=</path>", "write=</path>", "all"].join(", ");
      throw new Error(`${JSON.stringify(value)} is not one of ${names}`);
    }
  }
  return { isIsolated: !values.includes("all"), extras, ...paths };
}

export interface RestrictedProgram {
  readonly program: Program;
  /** False if the service may do everything that the user of `fw serve` may. */
  readonly isIsolated: boolean;
}

/**
 * Returns the program that runs a service. The service can read its own files and write temporary files, but not start
 * processes, unless `isolation` allows more. Bun, and Node before 24, cannot be restricted.
 */
export function restrictedProgram(
  engine: Engine,
  isolation: Isolation,
  files: ServiceFiles,
  nodeVersion: string = process.versions.node,
): RestrictedProgram {
  const isIsolated = isolation.isIsolated && canIsolate(engine, nodeVersion);
  if (engine === "deno") {
    const options = isIsolated ? denoOptions(isolation, files) : ["--allow-all"];
    return { program: [...programs.deno, ...options], isIsolated };
  }
  const options = isIsolated ? nodeOptions(isolation, files, nodeVersion) : [];
  return { program: [...programs[engine], ...options], isIsolated };
}

/** True if an engine has a stable permission model. */
function canIsolate(engine: Engine, nodeVersion: string): boolean {
  return engine === "deno" || (engine === "node" && majorOf(nodeVersion) >= isolatingSince);
}

function nodeOptions({ extras, read, write }: Isolation, files: ServiceFiles, nodeVersion: string): readonly string[] {
  return [
    "--permission",
    ...[...files.read, files.temporary, ...read].map((path) => `--allow-fs-read=${path}`),
    ...[files.temporary, ...write].map((path) => `--allow-fs-write=${path}`),
    // node:sqlite opens any file, regardless of --allow-fs-read.
    ...(extras.includes("sqlite") ? [] : ["--no-experimental-sqlite"]),
    ...(majorOf(nodeVersion) < holdsNetworkSince ? [] : ["--allow-net"]),
    ...extras.flatMap((name) => widenings[name]?.node ?? []),
  ];
}

function denoOptions({ extras, read, write }: Isolation, files: ServiceFiles): readonly string[] {
  return [
    "--allow-net",
    "--allow-env",
    "--allow-sys",
    ...[...files.read, files.temporary, ...read].map((path) => `--allow-read=${escapeCommas(path)}`),
    ...[files.temporary, ...write].map((path) => `--allow-write=${escapeCommas(path)}`),
    ...extras.flatMap((name) => widenings[name]?.deno ?? []),
  ];
}

/** Deno separates paths by commas. */
function escapeCommas(path: string): string {
  return path.replaceAll(",", ",,");
}

function majorOf(nodeVersion: string): number {
  return Number(nodeVersion.split(".")[0]);
}

/** True if a line of a service's output reports a denial by the permission model. */
export function isHeldBack(line: string): boolean {
  return /ERR_ACCESS_DENIED|ERR_DLOPEN_DISABLED|No such built-in module: node:sqlite|NotCapable/.test(line);
}
