import { percentDecoded } from "../../lib/percent.ts";

const prefix = "/_fw";

/**
 * Returns the part of a path below `/_fw/`, or undefined. `/_fw` and its escaped spellings also belong to the
 * framework.
 */
export function injectedPath(path: string): string | undefined {
  const second = path.charCodeAt(1);
  if (second !== 95 && second !== 37) return undefined;
  const end = path.indexOf("/", 1);
  const first = percentDecoded(end === -1 ? path : path.slice(0, end));
  if (first !== prefix) return undefined;
  return end === -1 ? "" : path.slice(end + 1);
}
