import type { DeclarationKey } from "./declaration-ref.ts";
import type { Span } from "./diagnostic.ts";
import type { kinds, KindWith } from "./kinds.ts";

/** Something that code can do with something that is declared. */
export interface Use {
  readonly kind: (typeof kinds)[KindWith<"use">]["use"]["kind"];
  /** The resource's name; of an endpoint `<service> <route>`; of users "". */
  readonly name: string;
  /** The method that is called: `get`, `put`, `send` …; `query` for every way to read a query. */
  readonly operation: string;
  /** The first location in source order. */
  readonly at: Span;
}

/** The uses that one entry's code can reach, through helpers and across files; sorted by kind, name and operation. */
export interface EntryUses extends DeclarationKey {
  readonly uses: readonly Use[];
  /** True where its code can begin a transaction. */
  readonly transacts: boolean;
  /** True where it may matter to it who visits: it has a gate, is a page, or its code may ask its context. */
  readonly asksVisitor: boolean;
}
