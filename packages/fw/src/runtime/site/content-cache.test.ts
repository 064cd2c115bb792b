import { expect, test } from "vitest";
import { ContentCache, cachedAssetBytes } from "./files.ts";

const quarter = Buffer.alloc(cachedAssetBytes / 4);

test("what was used longest ago goes first when there is too much", () => {
  const cache = new ContentCache();
  for (const file of ["a", "b", "c", "d"]) cache.keep(file, quarter);
  cache.get("a");
  cache.keep("e", quarter);
  expect(["a", "b", "c", "d", "e"].filter((file) => cache.get(file) !== undefined)).toEqual(["a", "c", "d", "e"]);
});

test("what is kept twice counts once", () => {
  const cache = new ContentCache();
  for (let i = 0; i < 10; i++) cache.keep("a", quarter);
  for (const file of ["b", "c", "d"]) cache.keep(file, quarter);
  expect(cache.get("a")).toBe(quarter);
});
