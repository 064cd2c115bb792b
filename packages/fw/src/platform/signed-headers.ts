import { isContentTypeWildcard } from "../lib/content-type.ts";
import type { ObjectGrant } from "./objects.ts";

/** The header of a signed upload with the permitted sizes. Cloud Storage defines its name. */
export const sizeHeader = "x-goog-content-length-range";

/** Returns the headers that a request must have to use the grant, without a content type that is a wildcard. */
export function signedHeaders({ maxSize, contentType }: ObjectGrant): Record<string, string> {
  const headers: Record<string, string> = {};
  if (maxSize !== undefined) headers[sizeHeader] = `0,${maxSize}`;
  if (contentType !== undefined && !isContentTypeWildcard(contentType)) headers["Content-Type"] = contentType;
  return headers;
}
