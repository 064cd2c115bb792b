/** The first major version of Node with a stable permission model. */
const isolatingSince = 24;

/** The first major version of Node whose permission model restricts the network, which services need. */
const holdsNetworkSince = 25;

/** The values of `--allow`, with Node's options for each. */
const widenings: Readonly<Record<string, readonly string[]>> = {
  addons: ["--allow-addons"],
  "child-processes": ["--allow-child-process"],
  workers: ["--allow-worker"],
  wasi: ["--allow-wasi"],
};

/** The access that an operator grants services beyond their own files. */
export interface Isolation {
  /** False if services run without Node's permission model. */
  readonly isIsolated: boolean;
  /** Node options that permit more. */
  readonly options: readonly string[];
  /** True if a service may open SQLite databases, which the permission model does not restrict. */
  readonly hasSqlite: boolean;
}

/** The files of one service. */
export interface ServiceFiles {
  /** Directories that it may read, absolute and without links. */
  readonly read: readonly string[];
  /** Its directory for temporary files. */
  readonly temporary: string;
}

/** Parses the values of `--allow`. Throws an error that names the first invalid one. */
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
 * The Node options that restrict a service: it reads its own files, writes temporary files and starts no process. Empty
 * on a version of Node without a stable permission model.
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
    // node:sqlite opens any file, regardless of --allow-fs-read.
    ...(hasSqlite ? [] : ["--no-experimental-sqlite"]),
    ...(major < holdsNetworkSince ? [] : ["--allow-net"]),
    ...options,
  ];
}

/** True if a service's output line reports a denial of the permission model. */
export function isHeldBack(line: string): boolean {
  return /ERR_ACCESS_DENIED|ERR_DLOPEN_DISABLED|No such built-in module: node:sqlite/.test(line);
}
