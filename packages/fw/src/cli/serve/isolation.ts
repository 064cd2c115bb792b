/** The first Node whose permission model is stable. */
const isolatingSince = 24;

/** The first Node whose permission model holds the network back, which services need. */
const holdsNetworkSince = 25;

/** The names of `--allow`, with Node's options for each. */
const widenings: Readonly<Record<string, readonly string[]>> = {
  addons: ["--allow-addons"],
  "child-processes": ["--allow-child-process"],
  workers: ["--allow-worker"],
  wasi: ["--allow-wasi"],
};

/** The access of services beyond their own files, as an operator gives it. */
export interface Isolation {
  /** False where services run without Node's permission model. */
  readonly isIsolated: boolean;
  /** Options of Node that allow more. */
  readonly options: readonly string[];
  /** Whether a service may open databases of SQLite, which the permission model does not hold back. */
  readonly hasSqlite: boolean;
}

/** Files of one service. */
export interface ServiceFiles {
  /** Directories to read, absolute and without links. */
  readonly read: readonly string[];
  /** The directory for its temporary files. */
  readonly temporary: string;
}

/** Reads the values of `--allow`. Throws an error that names the first wrong one. */
export function readIsolation(values: readonly string[]): Isolation {
  const options = values.flatMap((value) => {
    const [, access, path] = /^(read|write)=(\/.*)$/s.exec(value) ?? [];
    if (access !== undefined) return [`--allow-fs-${access}=${path}`];
    if (value === "all" || value === "sqlite") return [];
    const more = Object.hasOwn(widenings, value) ? widenings[value] : undefined;
    if (more !== undefined) return more;
    const names = [...Object.keys(widenings), "sqlite", "read=</path>", "write=</path>", "all"].join(", ");
    throw new Error(`${JSON.stringify(value)} is none of ${names}`);
  });
  return { isIsolated: !values.includes("all"), options, hasSqlite: values.includes("sqlite") };
}

/**
 * Options of Node with which a service reads its own files only, writes temporary files only, and starts no process; none
 * on a Node without a stable permission model.
 */
export function isolatingOptions(
  { isIsolated, options, hasSqlite }: Isolation,
  { read, temporary }: ServiceFiles,
  nodeVersion: string = process.versions.node,
): readonly string[] {
  const major = Number(nodeVersion.split(".")[0]);
  if (!isIsolated || major < isolatingSince) return [];
  return [
    "--permission",
    ...[...read, temporary].map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${temporary}`,
    // It opens any file, whatever --allow-fs-read says.
    ...(hasSqlite ? [] : ["--no-experimental-sqlite"]),
    ...(major < holdsNetworkSince ? [] : ["--allow-net"]),
    ...options,
  ];
}

/** Whether a line of a service's output says that the permission model held it back. */
export function isHeldBack(line: string): boolean {
  return /ERR_ACCESS_DENIED|ERR_DLOPEN_DISABLED|No such built-in module: node:sqlite/.test(line);
}
