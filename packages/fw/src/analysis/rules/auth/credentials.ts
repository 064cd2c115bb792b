import type { BoundField } from "../../../model/request-shape.ts";

/** Whether a field is read from where a request can have credentials. */
export function isCredential({ source }: BoundField): boolean {
  return source === "header" || source === "cookie" || source === "query";
}

/** A credential as requests have it: names of headers are the same however their letters are written. */
export function credentialText({ source, wire }: BoundField): string {
  return `${source} ${source === "header" ? wire.toLowerCase() : wire}`;
}
