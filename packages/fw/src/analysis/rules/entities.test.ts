import { describe, expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

function moduleWith(type: string): string {
  const imports = `import { Entity, type ID, type Index, type Transient, type Unique } from "fw";`;
  return `${imports}\nexport const a = Entity<${type}>("a");\n`;
}

/** Prints the findings of an entity with this type, without the path. */
function printed(type: string): Promise<string[]> {
  return bench.printShop(moduleWith(type));
}

describe("entity-id: an entity lacks exactly one string id field", () => {
  test.each(["{ id: ID }", "{ key: ID; id?: string }", "Omit<{ a: ID; b: ID }, 'b'>"])("%s has one", async (type) => {
    expect(await printed(type)).toEqual([]);
  });

  test.each([
    ["{ id: string }", '2:27: the type of the entity "a" has no ID field'],
    ["{ inner: { id: ID } }", '2:14: the type of the entity "a" has no ID field'],
    ["{ a: ID; b: ID }", '2:34: the entity "a" has a second ID field, "b"'],
  ])("%s does", async (type, message) => {
    expect(await printed(type)).toEqual([`${message} (fw/entity-id)`]);
  });
});

describe("entity-index: an indexed field is excluded from the stored document", () => {
  test.each(["Index<Transient<string>>", "Transient<Index<string>>"])("%s", async (type) => {
    expect(await printed(`{ id: ID; x: ${type} }`)).toEqual([
      '2:35: the field "x" is indexed, but not stored in the document (fw/entity-index)',
    ]);
  });

  test.each([
    ["{ id: ID; in: { x: Index<string> } }", ['2:41: "in.x" is marked']],
    ["{ id: ID; in?: { y: { x: Index<string> }[] }[] | null }", ['2:47: "in[].y[].x" is marked']],
    ["{ id: ID; in: Record<string, { x?: Index<string> }> }", ['2:56: "in.*.x" is marked']],
    ["{ id: ID; in: Record<string, Index<string>> }", ['2:35: "in.*" is marked']],
    ["{ id: ID; in: Record<string, Index<string[]>> }", ['2:35: "in.*" is marked']],
    ["{ id: ID; in: Record<string, Unique<string>[]> }", ['2:35: "in.*[]" is marked']],
    ["{ id: ID; in?: { [name: string]: Index<string> | number } | null }", ['2:35: "in.*" is marked']],
    ["{ id: ID; in: [string, Index<number>] }", ['2:35: "in[1]" is marked']],
    ["{ id: ID; in: [x: Index<string>, y?: Index<string>] }", ['2:35: "in[0]" is marked', '2:35: "in[1]" is marked']],
    ["{ id: ID; in: { x: [Index<number>] } }", ['2:41: "in.x[0]" is marked']],
    ["{ id: ID; in: [string, ...Index<number>[]] }", ['2:35: "in[1]" is marked']],
    ["{ id: ID; in: Index<Index<string>[]> }", ['2:35: "in[]" is marked']],
    ["{ id: ID; in: Record<Index<string>, string> }", ['2:35: "in.*" is marked']],
    ["{ id: ID; [name: string]: Index<string> }", ['2:25: "*" is marked']],
    [
      "{ id: ID; a: { x: Index<string> } } | { id: ID; a: { y: Index<string> } }",
      ['2:40: "a.x" is marked', '2:78: "a.y" is marked'],
    ],
    ["{ id: ID; in: { id: ID; x: Index<string> } }", []],
    ["{ id: ID; x: Index<[string, string]> }", []],
    ["{ id: ID; x: Index<string[]> }", []],
  ])("an index inside of a field: %s", async (type, found) => {
    expect(await printed(type)).toEqual(
      found.map((each) => `${each} as indexed, but queries can only use the document's own fields (fw/entity-index)`),
    );
  });

  test.each(["A | B", "B | A"])("an index of one member of a union is an index of the field: %s", async (type) => {
    const source = `import { API, Entity, type ID, type Index } from "fw";
export interface A { id: ID; kind: "a"; x: Index<string> }
export interface B { id: ID; kind: "b"; x: string }
export const docs = Entity<${type}>("docs");
export const find = API("GET /docs", async (ctx) => (await docs.query().where("x", "==", "1").all(ctx)).length);
`;
    expect(await bench.printShop(source)).toEqual([]);
  });

  test("only the list of an own field can be marked in place of its elements", async () => {
    const hint = async (type: string): Promise<unknown> =>
      (await bench.diagnose(`-- shop/shop.ts --\n${moduleWith(type)}`)).map((problem) => problem.hint);
    expect(await hint("{ id: ID; in: Index<string>[] }")).toEqual([expect.stringContaining("mark the list")]);
    for (const type of ["{ id: ID; in: [Index<string>] }", "{ id: ID; in: { x: Index<string>[] } }"])
      expect(await hint(type)).toEqual([expect.stringContaining("store queried values in a field")]);
  });

  test("an id that is kept out is one mistake", async () => {
    expect(await printed("{ id: Transient<ID> }")).toEqual([
      `2:27: the field "id" is the document's id, but not stored in the document (fw/entity-index)`,
    ]);
  });
});

describe("unique-list: a Unique field is a list", () => {
  test.each([
    ["Unique<string>", []],
    ["Unique<number> | null", []],
    ["Unique<string[]>", ['2:35: the field "x" is a list, but Unique needs a single value (fw/unique-list)']],
    ["Unique<[string, string]>", ['2:35: the field "x" is a list, but Unique needs a single value (fw/unique-list)']],
    ["Unique<string[]> | null", ['2:35: the field "x" is a list, but Unique needs a single value (fw/unique-list)']],
    ["Transient<Unique<string>>", ['2:35: the field "x" is indexed, but not stored in the document (fw/entity-index)']],
  ])("%s", async (type, found) => {
    expect(await printed(`{ id: ID; x: ${type} }`)).toEqual(found);
  });
});
