import type { Edit, Span } from "../../model/diagnostic.ts";

/** An operation of fw whose promise the code drops. */
export interface LostPromise {
  readonly text: string;
  readonly at: Span;
  /** The construct that drops it: a statement, or a list method that does not wait for its callback. */
  readonly drops: "statement" | "forEach" | "map";
  /** The edits that make the code wait for it; undefined outside an async function, and for a `forEach`. */
  readonly fix: readonly Edit[] | undefined;
}
