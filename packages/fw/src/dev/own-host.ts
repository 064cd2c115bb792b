import { isIP } from "node:net";
import { hostname } from "node:os";

const everyAddress: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/**
 * Whether a Host header names this machine as no other site can, so that a page whose name was pointed here gets nothing: an
 * address, a name without a dot, one below localhost, the one that the dev server listens on, and the machine's own where
 * it listens on every address.
 */
export function isOwnHost(header: string | undefined, listensOn: string): boolean {
  const name = (header ?? "")
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();
  if (name === "") return false;
  if (isIP(name) !== 0 || !name.includes(".") || name.endsWith(".localhost")) return true;
  return name === listensOn.toLowerCase() || (everyAddress.has(listensOn) && ownNames().includes(name));
}

function ownNames(): readonly string[] {
  const name = hostname().toLowerCase();
  return [name, `${name}.local`];
}
