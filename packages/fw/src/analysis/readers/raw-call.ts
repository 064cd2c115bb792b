import type { DeclarationRef } from "../../model/app.ts";
import type { Span } from "../../model/diagnostic.ts";

/** A call of the handler function of another package's endpoint, or a call that passes it on. */
export interface RawCall {
  /** The callee as it is written. */
  readonly text: string;
  readonly at: Span;
  /** False if the handler is passed on. */
  readonly isCalled: boolean;
  readonly endpoint: DeclarationRef;
  /** The directory of the endpoint's package. */
  readonly dir: string;
}
