/** A text without its percent-encoding; undefined where that is malformed, or of bytes that are not UTF-8. */
export function decodedExactly(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The same; as it is where its encoding is malformed. */
export function percentDecoded(text: string): string {
  return decodedExactly(text) ?? text;
}
