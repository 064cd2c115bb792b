import type { Edit, Span } from "../../model/diagnostic.ts";

/** The change that a rule proposes. Rules never look at syntax, so it refers to locations instead of nodes. */
export type Intent =
  /** Replaces the text of a string literal. */
  | { readonly kind: "text"; readonly at: Span; readonly text: string }
  /** Renames a property. */
  | { readonly kind: "name"; readonly at: Span; readonly name: string }
  | { readonly kind: "export"; readonly at: Span }
  /** Removes the property whose value is at this location. */
  | { readonly kind: "leave out"; readonly at: Span; readonly name: string }
  | { readonly kind: "mark"; readonly fields: readonly Span[]; readonly marker: "Path" | "Query" | "Index" }
  /** Changes the `let` or `var` of the declaration call at this location to `const`. */
  | { readonly kind: "const"; readonly at: Span }
  /** Moves the call of `name` at this location to an exported constant before its statement. */
  | { readonly kind: "extract"; readonly at: Span; readonly name: string }
  /** Makes edits that the reader has already found. */
  | { readonly kind: "edits"; readonly title: string; readonly at: Span; readonly edits: readonly Edit[] }
  /** Replaces an expression. If the handler's parameter list is empty, also adds the parameter there. */
  | {
      readonly kind: "replace";
      readonly at: Span;
      readonly text: string;
      readonly parameter: { readonly at: Span; readonly name: string } | undefined;
    };
