import type { DeclarationKey } from "./declaration-ref.ts";
import type { Span } from "./diagnostic.ts";
import type { kinds, KindWith } from "./kinds.ts";

/** An operation that code performs on a declared resource. */
export interface Use {
  readonly kind: (typeof kinds)[KindWith<"use">]["use"]["kind"];
  /** The resource's name; `<service> <route>` for an endpoint; "" for users. */
  readonly name: string;
  /** The called method: `get`, `put`, `send` …; `query` for every kind of query read. */
  readonly operation: string;
  /** The first location in source order. */
  readonly at: Span;
}

/** The uses that one entry's code can reach, through helpers and across files; sorted by kind, name and operation. */
export interface EntryUses extends DeclarationKey {
  readonly uses: readonly Use[];
  /** True if its code can start a transaction. */
  readonly transacts: boolean;
  /**
   * True for an endpoint whose response may depend on the user: a page, mount or socket, an API with an access rule, or
   * an API without `maxAge` whose code may identify the user. False in an application without users.
   */
  readonly asksVisitor: boolean;
}
