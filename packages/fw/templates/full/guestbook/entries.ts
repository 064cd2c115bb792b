import { API, Entity, type ID, type Index, type Int, type Path, type Query } from "fw";
import { IsHost } from "./auth.ts";

export interface Entry {
  id: ID;
  author: Index<string>;
  name: string;
  text: string;
  written: Index<Date>;
}
export const entries = Entity<Entry>("entries");

export interface ListEntries {
  limit?: Query<Int>;
  /** The `next` value from the previous page. */
  after?: Query;
}
export const listEntries = API("GET /api/entries", (ctx, { limit, after }: ListEntries) =>
  entries
    .query()
    .orderBy("written", "desc")
    .limit(limit ?? 50)
    .page(ctx, after),
);

export interface EntryRef {
  id: Path;
}
/** Deletes an entry. Only hosts can call it. */
export const removeEntry = API("DELETE /api/entries/{id}", (ctx, { id }: EntryRef) => entries.delete(ctx, id), {
  allow: IsHost,
});
