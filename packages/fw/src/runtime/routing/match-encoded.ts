/** A generated matcher over paths without percent-encoding. */
type Match = (method: string, path: string, params: string[]) => number;

/** The result of `match` for a path with invalid percent-encoding. */
const malformed = -2;

// Stands in for a decoded slash, which is not a separator. Decoding never yields a lone surrogate.
const slash = "\ud800";

/** Matches a path with percent-encoding, which must be split before its segments are decoded. */
export function matchEncoded(match: Match, method: string, path: string, params: string[]): number {
  const decoded = decodedSegments(path);
  if (decoded === undefined) return malformed;
  const index = match(method, decoded, params);
  for (const [i, param] of params.entries()) params[i] = param.replaceAll(slash, "/");
  return index;
}

function decodedSegments(path: string): string | undefined {
  try {
    return path
      .split("/")
      .map((segment) => decodeURIComponent(segment).replaceAll("/", slash))
      .join("/");
  } catch {
    return undefined;
  }
}
