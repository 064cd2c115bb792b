import type { Blob } from "../../declare/blob.ts";
import { percentEncoded } from "../../lib/percent.ts";

type FileName = Pick<Blob, "name" | "download">;

/**
 * Returns the Content-Disposition of a blob; undefined for a blob without a name that is not a download. Writes a name
 * outside plain ASCII twice (RFC 6266): approximated in ASCII for every client, and exact.
 */
export function dispositionOf({ name = "", download = false }: FileName): string | undefined {
  const kind = download ? "attachment" : "inline";
  const fileName = safeName(name);
  if (fileName === "") return download ? kind : undefined;
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  return plain === fileName
    ? `${kind}; filename="${plain}"`
    : `${kind}; filename="${plain}"; filename*=UTF-8''${percentEncoded(fileName, /['()*]/g)}`;
}

export function readDisposition(header: string | undefined): FileName {
  if (header === undefined) return {};
  const exact = /filename\*=UTF-8''(\S*)$/.exec(header)?.[1];
  const name = exact === undefined ? /filename="(.*)"$/.exec(header)?.[1] : decodeURIComponent(exact);
  return { ...(name !== undefined && { name }), ...(header.startsWith("attachment") && { download: true }) };
}

/**
 * Returns a file name with `_` for path separators and invisible characters, and for the dots of names such as `..`.
 */
function safeName(name: string): string {
  const visible = Buffer.from(name)
    .toString()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/\\]/gu, "_")
    .trim();
  return /^\.+$/.test(visible) ? "_".repeat(visible.length) : visible;
}
