import type { Span } from "../../model/diagnostic.ts";

/** What a rule would have written, in its own terms: rules never look at syntax. */
export type Intent =
  /** Another text in a string literal. */
  | { readonly kind: "text"; readonly at: Span; readonly text: string }
  /** Another name for a property. */
  | { readonly kind: "name"; readonly at: Span; readonly name: string }
  /** What is declared there is exported. */
  | { readonly kind: "export"; readonly at: Span }
  /** The property goes whose value stands there. */
  | { readonly kind: "leave out"; readonly at: Span; readonly name: string }
  /** The types of fields are marked. */
  | { readonly kind: "mark"; readonly fields: readonly Span[]; readonly marker: "Path" | "Query" | "Index" }
  /** The declaration at whose call it is found is held in a `const`. */
  | { readonly kind: "const"; readonly at: Span };
