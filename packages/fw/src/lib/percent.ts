/** A part of a URL's path without its percent-encoding; as it is where that is malformed. */
export function percentDecoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
