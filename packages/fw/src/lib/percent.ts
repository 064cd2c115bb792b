/** Decodes percent-encoding; undefined if it is malformed or its bytes are not UTF-8. */
export function decodedExactly(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Like `decodedExactly`, but returns a malformed text unchanged. */
export function percentDecoded(text: string): string {
  return decodedExactly(text) ?? text;
}
