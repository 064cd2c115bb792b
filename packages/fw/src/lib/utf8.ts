/**
 * True if a string has more than `bytes` UTF-8 bytes. Counts them only if the length alone, at up to three bytes per
 * unit, does not decide.
 */
export function exceeds(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}
