import { isContentTypeWildcard } from "../lib/content-type.ts";
import type { Grant } from "./objects.ts";

/** The header in which a signed upload repeats the sizes that it may have, by the name that the cloud's object store gives it. */
export const sizeHeader = "x-goog-content-length-range";

/** The headers that a request must carry to use a grant. */
export function signedHeaders({ maxSize, contentType }: Grant): Record<string, string> {
  const headers: Record<string, string> = {};
  if (maxSize !== undefined) headers[sizeHeader] = `0,${maxSize}`;
  if (contentType !== undefined && !isContentTypeWildcard(contentType)) headers["Content-Type"] = contentType;
  return headers;
}
