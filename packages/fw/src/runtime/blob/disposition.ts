import type { Blob } from "../../declare/blob.ts";

type Named = Pick<Blob, "name" | "download">;

/**
 * The Content-Disposition of a blob; undefined for one that says neither a name nor that it is to be saved. A name that is
 * not plain ASCII is written twice, as RFC 6266 has it: for every client, and exactly.
 */
export function dispositionOf({ name = "", download = false }: Named): string | undefined {
  const kind = download ? "attachment" : "inline";
  const given = safeName(name);
  if (given === "") return download ? kind : undefined;
  const plain = given.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  return plain === given
    ? `${kind}; filename="${plain}"`
    : `${kind}; filename="${plain}"; filename*=UTF-8''${escaped(given)}`;
}

/** What `dispositionOf` was made of. */
export function readDisposition(header: string | undefined): Named {
  if (header === undefined) return {};
  const exact = /filename\*=UTF-8''(\S*)$/.exec(header)?.[1];
  const name = exact === undefined ? /filename="(.*)"$/.exec(header)?.[1] : decodeURIComponent(exact);
  return { ...(name !== undefined && { name }), ...(header.startsWith("attachment") && { download: true }) };
}

/** A file name: without path separators and invisible characters, and neither `.` nor `..`, which name directories. */
function safeName(name: string): string {
  const visible = Buffer.from(name)
    .toString()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/\\]/gu, "_")
    .trim();
  return /^\.+$/.test(visible) ? "_".repeat(visible.length) : visible;
}

function escaped(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
