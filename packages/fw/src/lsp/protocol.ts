/**
 * The part of the Language Server Protocol 3.17 that fw implements. Positions count from 0, characters in UTF-16 units.
 */

export interface Position {
  readonly line: number;
  readonly character: number;
}

/** A range of text; its end is exclusive. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface Location {
  readonly uri: string;
  readonly range: Range;
}

export interface PublishedDiagnostic {
  readonly range: Range;
  /** 1 for an error, 2 for a warning. */
  readonly severity: 1 | 2;
  readonly code: string;
  readonly source: "fw";
  readonly message: string;
  readonly relatedInformation?: readonly { readonly location: Location; readonly message: string }[];
}

/** Error codes of JSON-RPC and the protocol. */
export const errorCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  serverNotInitialized: -32_002,
  requestCancelled: -32_800,
} as const;

/** Makes the server respond to a request with this error. */
export class RequestError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
