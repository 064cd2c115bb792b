/**
 * Whether a string has more bytes of UTF-8; they are counted only where its length, of up to three bytes each, leaves
 * it open.
 */
export function exceeds(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}
