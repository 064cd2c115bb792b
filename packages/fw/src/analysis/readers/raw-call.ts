import type { DeclarationRef } from "../../model/app.ts";
import type { Span } from "../../model/diagnostic.ts";

/** A call of the function that an endpoint of another package has for a handler, or of a function that gets it. */
export interface RawCall {
  /** What is called, as it is written. */
  readonly text: string;
  readonly at: Span;
  /** False where it is handed on. */
  readonly called: boolean;
  readonly endpoint: DeclarationRef;
  /** The endpoint's package, its directory. */
  readonly dir: string;
}
