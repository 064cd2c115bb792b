/** Hop-by-hop headers. */
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

/** Headers for framing and routing, which Connection must not remove. */
const framing: ReadonlySet<string> = new Set(["host", "content-length", "transfer-encoding"]);

/** Removes hop-by-hop headers, including those that Connection lists, from alternating names and values. */
export function endToEnd(raw: readonly string[]): string[] {
  const listedNames = new Set<string>();
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]?.toLowerCase() === "connection")
      for (const name of (raw[i + 1] ?? "").toLowerCase().split(",")) listedNames.add(name.trim());
  const result: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const [name = "", value = ""] = [raw[i], raw[i + 1]];
    const key = name.toLowerCase();
    if (!hopByHop.has(key) && (!listedNames.has(key) || framing.has(key))) result.push(name, value);
  }
  return result;
}
