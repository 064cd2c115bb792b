/**
 * Splits a raw request path into names (`/docs/a%20b` gives `["docs", "a b"]`; a final slash gives a final ""). Returns
 * undefined for paths that are not the canonical spelling of a file: broken escapes, an escaped slash, empty names, `.`
 * and `..`.
 */
export function pathNames(path: string): readonly string[] | undefined {
  if (!path.startsWith("/")) return undefined;
  const names = path.slice(1).split("/");
  const decoded = path.includes("%") ? decodeAll(names) : names;
  if (decoded === undefined || decoded.slice(0, -1).includes("")) return undefined;
  return decoded.some((name) => name === "." || name === ".." || name.includes("/")) ? undefined : decoded;
}

function decodeAll(names: readonly string[]): string[] | undefined {
  try {
    return names.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Joins names to a path, escaped for a Location header. */
export function escapedPath(names: readonly string[]): string {
  return `/${names.map(encodeURIComponent).join("/")}`;
}
