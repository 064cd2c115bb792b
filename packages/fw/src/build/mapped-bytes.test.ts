import { expect, test } from "vitest";
import { mappedBytes } from "./mapped-bytes.ts";

test("code counts for the source that its source map names, in bytes", () => {
  // Line 1: "aa" of a.ts, then "ü" of b.ts; line 2 is empty; line 3: "cc" of a.ts.
  const map = { sources: ["a.ts", "b.ts"], mappings: "AAAA,ECAA;;ADAA" };
  expect([...mappedBytes("aaü\n\ncc", map)]).toEqual([
    ["a.ts", 4],
    ["b.ts", 4],
  ]);
});

test("code that was blanked after its map was made counts only its line breaks", () => {
  expect([...mappedBytes("\n", { sources: ["a.ts"], mappings: "AAAA,SAAS" })]).toEqual([["a.ts", 1]]);
});
