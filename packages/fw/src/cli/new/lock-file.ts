import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { ownDirectory } from "../../lib/own-modules.ts";

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type LockedPackages = Readonly<Record<string, LockedPackage>>;

interface NewManifest {
  readonly name: string;
  readonly engines: object;
  readonly dependencies: Readonly<Record<string, string>>;
}

/**
 * Derives the lock file of a new application from the one that installed this fw. npm then installs the same versions
 * from its cache, without requesting lists of versions from the registry. Returns undefined if no lock file of npm
 * lists every package that this fw needs.
 */
export function lockFileFor(
  { name, engines, dependencies }: NewManifest,
  archive: { readonly path: string; readonly bytes: Buffer | string },
): string | undefined {
  const own = readJSON(join(packageRoot, "package.json")) as LockedPackage;
  const closure = ownClosure(own);
  if (closure === undefined) return undefined;
  const integrity = `sha512-${createHash("sha512").update(archive.bytes).digest("base64")}`;
  const packages = {
    "": { name, dependencies, engines },
    "node_modules/fw": { ...lockFields(own), resolved: `file:${archive.path}`, integrity },
    ...closure,
  };
  return `${JSON.stringify({ name, lockfileVersion: 3, requires: true, packages }, null, 2)}\n`;
}

const packageRoot = join(ownDirectory, "..");

/**
 * Returns the packages that this fw needs, as listed in the lock file that installed it; undefined without one, or if
 * it is incomplete.
 */
function ownClosure(own: LockedPackage): LockedPackages | undefined {
  const root = lockedRoot(packageRoot);
  if (root === undefined) return undefined;
  const { packages } = readJSON(join(root, "package-lock.json")) as { readonly packages?: LockedPackages };
  return packages && lockedClosure(packages, relative(root, packageRoot).split(sep).join("/"), own);
}

function readJSON(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** Returns the fields of a manifest that npm copies into a lock file. */
function lockFields(manifest: object): object {
  const names = ["version", "license", "dependencies", "peerDependencies", "peerDependenciesMeta", "bin", "engines"];
  return Object.fromEntries(Object.entries(manifest).filter(([name]) => names.includes(name)));
}

/** Finds the nearest directory with a lock file of npm. */
function lockedRoot(from: string): string | undefined {
  if (existsSync(join(from, "package-lock.json"))) return from;
  const parent = dirname(from);
  return parent === from ? undefined : lockedRoot(parent);
}

/**
 * Finds the packages that `own` needs, directly or indirectly, by their paths in the new application. Returns undefined
 * if the lock file lacks a required package, or if a package is a link.
 */
function lockedClosure(
  packages: LockedPackages,
  ownKey: string,
  own: LockedPackage,
): Record<string, LockedPackage> | undefined {
  const required = new Map<string, LockedPackage>();
  const optional = new Map<string, LockedPackage>();
  let isComplete = true;
  const visit = (from: string, { dependencies, optionalDependencies }: LockedPackage, isOptional: boolean): void => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const path = resolveLocked(packages, from, name);
      const canLack = isOptional || optionalDependencies?.[name] !== undefined;
      const entry = path === undefined ? undefined : packages[path];
      if (path === undefined || entry === undefined) {
        isComplete &&= canLack;
        continue;
      }
      if (required.has(path) || (canLack && optional.has(path))) continue;
      isComplete &&= entry.link !== true;
      (canLack ? optional : required).set(path, entry);
      visit(path, entry, canLack);
    }
  };
  visit(ownKey, own, false);
  const entries = [...optional, ...required].map(([path, entry]) => {
    const key = path.startsWith(`${ownKey}/`) ? `node_modules/fw${path.slice(ownKey.length)}` : path;
    const located = { ...withoutFlags(entry), resolved: entry.resolved ?? registryUrl(path, entry) };
    return [key, required.has(path) ? located : { ...located, optional: true }] as const;
  });
  return isComplete ? Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) : undefined;
}

/** Drops flags for the kind of dependency, which differs between applications. */
function withoutFlags(entry: LockedPackage): LockedPackage {
  const flags = ["dev", "devOptional", "peer", "optional"];
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !flags.includes(name)));
}

/** Returns the package's URL in the public registry. npm uses the registry in its settings instead. */
function registryUrl(path: string, { version }: LockedPackage): string {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  return `https://registry.npmjs.org/${name}/-/${name.slice(name.indexOf("/") + 1)}-${version}.tgz`;
}

/** Resolves a package as Node does: in the nearest `node_modules` above. */
function resolveLocked(packages: LockedPackages, from: string, name: string): string | undefined {
  const path = from === "" ? `node_modules/${name}` : `${from}/node_modules/${name}`;
  if (packages[path] !== undefined) return path;
  if (from === "") return undefined;
  const end = from.lastIndexOf("/");
  return resolveLocked(packages, end === -1 ? "" : from.slice(0, end), name);
}
