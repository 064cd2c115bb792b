import { type Dirent, readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { readText } from "../../lib/read-file.ts";
import { isGone } from "./process.ts";
import type { ServerSession } from "./session.ts";

/** The application's directory when a server read it. */
export interface KnownDirectory {
  readonly root: string;
  readonly files: ReadonlySet<string>;
  /** The contents of settings files, and the names of packages. */
  readonly settings: string;
}

interface FreeServer {
  readonly session: ServerSession;
  readonly last: KnownDirectory;
}

/** Servers of closed applications; undefined in a process that does not keep them. */
let free: FreeServer[] | undefined;

/** The number of applications after which a server ends, because it retains some memory of each. */
const applicationsOfServer = 20;

const mostFree = 2;

/**
 * Lets this process reuse the servers of closed applications. They have already read the declarations of TypeScript and
 * Node, which takes most of a start. For processes that open many applications, such as tests.
 */
export function keepServers(): void {
  free ??= [];
}

/** True if an application can be opened without starting a server. */
export function hasKeptServer(root: string): boolean {
  return free !== undefined && free.length > 0 && findServer(root, knownDirectory(root)) !== undefined;
}

/** Describes the application's directory; undefined in a process that keeps no servers. */
export function directoryToKeep(root: string): KnownDirectory | undefined {
  return free && knownDirectory(root);
}

/** Takes a free server that can open the application, so that nothing else uses it; undefined if there is none. */
export function takeServer(root: string): ServerSession | undefined {
  const now = directoryToKeep(root);
  const server = now && findServer(root, now);
  if (!server) return undefined;
  free = free?.filter((each) => each !== server);
  const { session, last } = server;
  if (last.root !== root) return { ...session, roots: [...session.roots, root], directory: now, changes: undefined };
  const present = [...now.files];
  const deleted = [...last.files].filter((path) => !now.files.has(path));
  return { ...session, directory: now, changes: { changed: present, created: present, deleted } };
}

/** Keeps the server of a closed application; returns whether it did. */
export function keepServer(session: ServerSession): boolean {
  const { directory, roots, isShareable, watchdog, api } = session;
  if (!free || !directory || !isShareable || watchdog.isWatching) return false;
  free = free.filter((each) => !isGone(each.session.api));
  if (free.length >= mostFree || roots.length >= applicationsOfServer || isGone(api)) return false;
  const now = knownDirectory(directory.root);
  // If the settings have changed, it is unknown which ones the server has read.
  if (now.settings !== directory.settings) return false;
  free.push({ session, last: { ...now, files: new Set([...directory.files, ...now.files]) } });
  return true;
}

function findServer(root: string, now: KnownDirectory): FreeServer | undefined {
  const usable = free?.filter(({ session }) => !isGone(session.api)) ?? [];
  return (
    usable.find(({ last }) => last.root === root && last.settings === now.settings) ??
    usable.find(({ session }) => session.roots.every((known) => !isWithin(known, root) && !isWithin(root, known)))
  );
}

function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory + sep);
}

/**
 * Describes a directory: its source files, without packages and hidden directories, and the settings and packages that
 * affect how TypeScript reads them.
 */
function knownDirectory(root: string): KnownDirectory {
  const files = new Set<string>();
  const settings: string[] = [];
  const read = (directory: string): void => {
    for (const entry of entriesOf(directory)) {
      const path = join(directory, entry.name);
      if (entry.name === "node_modules") settings.push(path, ...entriesOf(path).map(({ name }) => name));
      else if (entry.isDirectory()) {
        if (!entry.name.startsWith(".")) read(path);
      } else if (/^(?:package|tsconfig.*)\.json$/.test(entry.name)) settings.push(path, readText(path) ?? "");
      else if (/\.(?:[cm]?[jt]sx?|json)$/.test(entry.name)) files.add(path);
    }
  };
  read(root);
  return { root, files, settings: settings.join("\n") };
}

/** Lists a directory; empty if it no longer exists. */
function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
