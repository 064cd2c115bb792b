import { isIP } from "node:net";
import { hostname } from "node:os";
import { hostNameOf } from "./host-name.ts";

/** The names that a dev server accepts, in addition to names that always mean this machine. */
export interface OwnHosts {
  readonly listensOn: string;
  /** Names in lower case. A leading dot includes every name below. */
  readonly allowedHosts: readonly string[];
}

const everyAddress: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/**
 * True if a Host header is safe from DNS rebinding: an address, a name without a dot, a name below localhost, the name
 * that the dev server listens on, the machine's own name if it listens on every address, or an allowed name.
 */
export function isOwnHost(header: string | undefined, { listensOn, allowedHosts: allowed }: OwnHosts): boolean {
  const name = hostNameOf(header);
  if (name === "") return false;
  if (isIP(name) !== 0 || !name.includes(".") || name.endsWith(".localhost")) return true;
  if (name === listensOn.toLowerCase() || allowed.some((pattern) => isAllowed(name, pattern))) return true;
  return everyAddress.has(listensOn) && ownNames().includes(name);
}

function isAllowed(name: string, allowed: string): boolean {
  return name === allowed || (allowed.startsWith(".") && (name === allowed.slice(1) || name.endsWith(allowed)));
}

function ownNames(): readonly string[] {
  const name = hostname().toLowerCase();
  return [name, `${name}.local`];
}
