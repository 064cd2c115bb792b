import { describe, expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

/** Prints the findings of an entity with this type, without the path. */
async function printed(type: string): Promise<string[]> {
  const imports = `import { Entity, type ID, type Index, type Transient, type Unique } from "fw";`;
  return bench.printShop(`${imports}\nexport const a = Entity<${type}>("a");\n`);
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
    ["{ id: ID; in?: { y: { x: Index<string> }[] }[] | null }", ['2:47: "in.y.x" is marked']],
    ["{ id: ID; in: Record<string, { x?: Index<string> }> }", ['2:56: "in.*.x" is marked']],
    ["{ id: ID; in: { id: ID; x: Index<string> } }", []],
    ["{ id: ID; x: Index<string[]> }", []],
  ])("an index inside of a field: %s", async (type, found) => {
    expect(await printed(type)).toEqual(
      found.map((each) => `${each} as indexed, but queries can only use the document's own fields (fw/entity-index)`),
    );
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
    ["Unique<string[]> | null", ['2:35: the field "x" is a list, but Unique needs a single value (fw/unique-list)']],
    ["Transient<Unique<string>>", ['2:35: the field "x" is indexed, but not stored in the document (fw/entity-index)']],
  ])("%s", async (type, found) => {
    expect(await printed(`{ id: ID; x: ${type} }`)).toEqual(found);
  });
});
