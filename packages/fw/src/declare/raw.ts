/**
 * The unparsed body of a request: `body: Raw`. Use it to verify signatures, or for content types that fw does not
 * parse.
 */
export interface Raw {
  /** The bytes; empty if the request has no body. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The content type as sent; "" if there is none. */
  readonly type: string;
  /** Decodes the bytes as UTF-8; invalid sequences become U+FFFD. */
  text(): string;
}
