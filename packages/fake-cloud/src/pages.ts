import { query, type Call } from "./api.ts";

/** Returns one page of a list under the API's name for it: `pageSize` items starting at `pageToken`. */
export function inPages(call: Call, list: Readonly<Record<string, readonly unknown[]>>): object {
  const [[name, items] = ["", []]] = Object.entries(list);
  const size = Math.max(1, Number(query(call, "pageSize") ?? 0) || 100);
  const from = Number(query(call, "pageToken") ?? 0);
  const more = items.length > from + size;
  return { [name]: items.slice(from, from + size), ...(more && { nextPageToken: String(from + size) }) };
}
