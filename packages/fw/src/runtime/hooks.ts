import type { Context } from "../declare/context.ts";

/** A failure that was answered as an opaque 500. */
export interface RequestFault {
  readonly error: unknown;
  readonly requestId: string;
  /** The declared pattern, or `<unmatched>`. */
  readonly route: string;
}

/** Changes an HTML document. */
export type Decorate = (html: string, page: DecoratedPage) => string;

/** What a document was sent in answer to. */
export interface DecoratedPage {
  readonly ctx: Context;
  /** Seconds; a page with some is the same for everybody, and so is a file whose name changes with its contents. */
  readonly maxAge: number;
  /** The path and query that lead back to it. */
  readonly path: string;
}
