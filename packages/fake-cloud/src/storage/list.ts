import { query, type Call } from "../api.ts";
import type { Bucket, StoredObject } from "./buckets.ts";

/** Returns one page of a bucket's objects, sorted by the bytes of their names. */
export function listObjects(call: Call, bucket: Bucket, json: (object: StoredObject) => unknown): unknown {
  const prefix = query(call, "prefix") ?? "";
  const delimiter = query(call, "delimiter");
  const from = query(call, "startOffset") ?? "";
  const below = query(call, "endOffset");
  const after = query(call, "pageToken");
  const last = after === undefined ? undefined : Buffer.from(after, "base64").toString();
  const limit = Math.min(1000, Number(query(call, "maxResults") ?? 1000));
  const items: unknown[] = [];
  const prefixes = new Set<string>();
  let end: string | undefined;
  const names = [...bucket.objects.keys()].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const name of names) {
    if (!name.startsWith(prefix) || isBefore(name, from) || (below !== undefined && !isBefore(name, below))) continue;
    const generations = (bucket.objects.get(name) ?? []).filter(
      (one) => query(call, "versions") === "true" || !one.deleted,
    );
    if (generations.length === 0) continue;
    const delimiterIndex = delimiter === undefined || delimiter === "" ? -1 : name.indexOf(delimiter, prefix.length);
    const folder = delimiterIndex === -1 ? undefined : name.slice(0, delimiterIndex + (delimiter ?? "").length);
    if (last !== undefined && !isBefore(last, folder ?? name)) continue;
    if (folder !== undefined && prefixes.has(folder)) continue;
    if (items.length + prefixes.size >= limit) return page(end);
    if (folder === undefined) items.push(...generations.map((one) => json(one)));
    else prefixes.add(folder);
    end = folder ?? name;
  }
  return page(undefined);

  function page(token: string | undefined): unknown {
    return {
      kind: "storage#objects",
      ...(token !== undefined && { nextPageToken: Buffer.from(token).toString("base64") }),
      ...(prefixes.size > 0 && { prefixes: [...prefixes] }),
      ...(items.length > 0 && { items }),
    };
  }
}

function isBefore(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
}
