import { isContentTypeWildcard } from "../lib/content-type.ts";
import type { Grant } from "./objects.ts";

/** The header in which a signed upload repeats its permitted sizes; the name is Cloud Storage's. */
export const sizeHeader = "x-goog-content-length-range";

/** Returns the headers that a request must have to use a grant. */
export function signedHeaders({ maxSize, contentType }: Grant): Record<string, string> {
  const headers: Record<string, string> = {};
  if (maxSize !== undefined) headers[sizeHeader] = `0,${maxSize}`;
  if (contentType !== undefined && !isContentTypeWildcard(contentType)) headers["Content-Type"] = contentType;
  return headers;
}
