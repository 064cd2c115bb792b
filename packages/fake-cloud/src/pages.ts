import { query, type Call } from "./api.ts";

/** One page of a list: `pageSize` items from `pageToken` on, under the name that the API gives them. */
export function inPages(call: Call, name: string, items: readonly unknown[]): Readonly<Record<string, unknown>> {
  const size = Math.max(1, Number(query(call, "pageSize") ?? 0) || 100);
  const from = Number(query(call, "pageToken") ?? 0);
  const more = items.length > from + size;
  return { [name]: items.slice(from, from + size), ...(more && { nextPageToken: String(from + size) }) };
}
