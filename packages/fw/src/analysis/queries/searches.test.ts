import { expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const notes = (fields: string, code: string, settings = ""): string => `
-- shop/shop.ts --
import { API, Entity, RequireMember, Tenant, type ID, type Index, type Path, type Query, type Search } from "fw";
export interface Note { id: ID; ${fields} }
${code}
export const notes = Entity<Note>("notes"${settings});
`;

test("a search of an entity without a Search field is reported at the search", async () => {
  const list = `export const list = API("GET /notes", (ctx, { q }: { q: Query }) => notes.query().search(q as never).all(ctx));`;
  const { diagnostics } = await bench.analyze(notes("title: string", list));
  expect(diagnostics.map(({ code, message, hint }) => [code, message, hint])).toEqual([
    [
      "fw/unindexed-query",
      'the query searches "notes", none of whose fields is marked with Search',
      "mark the fields to search: title: Search<string>",
    ],
  ]);
});

test("a Search that is not stored, or inside an object, is reported", async () => {
  const fields = "title: Search<string>; inner: { note: Search<string> }";
  expect((await bench.analyze(notes(fields, ""))).diagnostics.map(({ code, at }) => [code, at.line])).toEqual([
    ["fw/entity-index", 2],
  ]);
});

test("a search of a tenant's documents has the tenant in its index", async () => {
  const code = `
export const orgs = Tenant("orgs", (ctx, user, { org }: { org: Path }) => ({ role: "member" }));
export const members = RequireMember(orgs);
export const list = API("GET /{org}/notes", (ctx, { q }: { org: Path; q: Query }) =>
  notes.query().search(q).orderBy("at").all(ctx), { allow: members });`;
  const text = notes("title: Search<string>; at: Index<Date>", code, ", { tenant: orgs }");
  const { app, diagnostics } = await bench.analyze(text);
  expect(diagnostics).toEqual([]);
  expect(app.indexes?.map(({ fields }) => fields.map(({ field }) => field))).toEqual([
    ["@search2:title", "@tenant", "at"],
  ]);
});
