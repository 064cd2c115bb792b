import type { Diagnostic, Span } from "../../model/diagnostic.ts";

/** Something of the source that decides what the application is, and that the analysis cannot follow. */
export interface Untraced {
  readonly at: Span;
  /** What it is, and where the trail ends: a sentence without a full stop. */
  readonly message: string;
  readonly hint: string;
  readonly related?: Diagnostic["related"];
}
