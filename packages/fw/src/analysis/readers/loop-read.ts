import type { Edit, Span } from "../../model/diagnostic.ts";

/** A read of one document for each document of a query. */
export interface LoopRead {
  readonly text: string;
  readonly at: Span;
  /** The location of the documents that the loop iterates over. */
  readonly loop: Span;
  /** The `Ref` field that holds the id of the document to read; undefined if the id comes from elsewhere. */
  readonly ref: string | undefined;
  /**
   * The call that reads all documents at once; undefined if the loop receives the documents of the query page by page.
   */
  readonly together: string | undefined;
  /** The edits that read the documents together with the same result, if the code is simple enough. */
  readonly fix: readonly Edit[] | undefined;
}
