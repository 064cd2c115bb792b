/**
 * Whether a string has more than this many bytes of UTF-8. Counts them only if its length, at up to three bytes per
 * unit, does not decide.
 */
export function exceeds(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}
