import type { DeclarationRef } from "../../model/app.ts";
import type { Span } from "../../model/diagnostic.ts";

/** A direct call of another package's endpoint handler, or a call that passes the handler on. */
export interface RawCall {
  readonly text: string;
  readonly at: Span;
  /** False if the handler is only passed on. */
  readonly isCalled: boolean;
  readonly endpoint: DeclarationRef;
  /** The directory of the package that owns the endpoint. */
  readonly dir: string;
}
