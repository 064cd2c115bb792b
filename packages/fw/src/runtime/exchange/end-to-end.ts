const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
]);

/** Headers for framing and routing, which Connection must not be able to remove. */
const framing: ReadonlySet<string> = new Set(["host", "content-length", "transfer-encoding"]);

const noNames: ReadonlySet<string> = new Set();

/**
 * Removes `others` and hop-by-hop headers, including any listed in Connection, from alternating names and values.
 * `others` are in lower case.
 */
export function endToEnd(raw: readonly string[], others: ReadonlySet<string> = noNames): string[] {
  const result: string[] = [];
  let listedNames: Set<string> | undefined;
  for (let i = 0; i < raw.length; i += 2) {
    const [name = "", value = ""] = [raw[i], raw[i + 1]];
    const key = name.toLowerCase();
    if (key === "connection") addNames((listedNames ??= new Set()), value);
    if (!hopByHop.has(key) && !others.has(key)) result.push(name, value);
  }
  return listedNames === undefined ? result : withoutListed(result, listedNames);
}

function addNames(names: Set<string>, connection: string): void {
  for (const name of connection.toLowerCase().split(",")) names.add(name.trim());
}

function withoutListed(headers: string[], listedNames: ReadonlySet<string>): string[] {
  return headers.filter((_, i) => {
    const key = (headers[i - (i % 2)] ?? "").toLowerCase();
    return !listedNames.has(key) || framing.has(key);
  });
}
