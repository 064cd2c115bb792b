/** Decodes percent-encoding; returns undefined if it is malformed or its bytes are not UTF-8. */
export function decodedExactly(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Like `decodedExactly`, but returns malformed text unchanged. */
export function percentDecoded(text: string): string {
  return decodedExactly(text) ?? text;
}

/** Percent-encodes text like `encodeURIComponent`, and also the ASCII characters that match `others`. */
export function percentEncoded(text: string, others: RegExp): string {
  return encodeURIComponent(text).replaceAll(others, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}
