/** Headers that are between two hops only. */
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

/** What says where a message goes and where it ends is no hop's to take away. */
const framing: ReadonlySet<string> = new Set(["host", "content-length", "transfer-encoding"]);

/** Headers, names and values in turn, without those that are between two hops only: those that Connection names among them. */
export function endToEnd(raw: readonly string[]): string[] {
  const named = new Set<string>();
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]?.toLowerCase() === "connection")
      for (const name of (raw[i + 1] ?? "").toLowerCase().split(",")) named.add(name.trim());
  const kept: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const [name = "", value = ""] = [raw[i], raw[i + 1]];
    const key = name.toLowerCase();
    if (!hopByHop.has(key) && (!named.has(key) || framing.has(key))) kept.push(name, value);
  }
  return kept;
}
