/** A part of a URL's path without its percent-encoding; as it is where that is malformed. */
export function percentDecoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
