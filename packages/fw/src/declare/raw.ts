/** The body of a request as it came: `body: Raw`, for what signs its bytes and for types that fw does not read. */
export interface Raw {
  /** All of it; none where the request has no body. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its content type as it was sent; "" where it says none. */
  readonly type: string;
  /** The bytes as UTF-8. What is none becomes U+FFFD. */
  text(): string;
}
