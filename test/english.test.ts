import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AreaProse, type Measure, measures, readAreas, root } from "./english/areas.ts";

/**
 * The number of matches that each area may still have, which may only go down. `FW_ENGLISH=tighten npx vitest run
 * test/english.test.ts` writes the current counts, `FW_ENGLISH=packages/fw/src/cli` lists matches.
 */
type Allowance = Record<string, Partial<Record<Measure, number>>>;

const file = join(root, "test/english/allowance.json");
const areas = readAreas();
const request = process.env["FW_ENGLISH"];

test("comments, names and pages keep to plain English, no worse than the allowance of their area", () => {
  const allowance = JSON.parse(readFileSync(file, "utf8")) as Allowance;
  if (request === "tighten") writeFileSync(file, `${JSON.stringify(tightened(allowance), null, 2)}\n`);
  else if (request) console.log(matchesBelow(request).join("\n"));
  const excess = [...areas].flatMap(([name, area]) =>
    measures
      .filter((measure) => area.places[measure].length > (allowance[name]?.[measure] ?? 0))
      .map((measure) => describeExcess(name, area, measure, allowance[name]?.[measure] ?? 0)),
  );
  expect(excess).toEqual([]);
});

test("the allowance names only areas that exist", () => {
  const allowance = JSON.parse(readFileSync(file, "utf8")) as Allowance;
  expect(Object.keys(allowance).filter((name) => !areas.has(name))).toEqual([]);
});

function describeExcess(name: string, area: AreaProse, measure: Measure, allowed: number): string {
  const places = area.places[measure];
  return `${name}: ${places.length} ${measure}, ${allowed} allowed. List them with FW_ENGLISH=${name}; rewrite those of your change.`;
}

function tightened(allowance: Allowance): Allowance {
  const counts = [...areas].map(([name, area]) => {
    const isNew = !(name in allowance);
    const row = measures.map((measure) => {
      const count = area.places[measure].length;
      return [measure, isNew ? count : Math.min(count, allowance[name]?.[measure] ?? 0)] as const;
    });
    return [name, Object.fromEntries(row.filter(([, count]) => count > 0))] as const;
  });
  return Object.fromEntries(counts);
}

function matchesBelow(path: string): string[] {
  return [...areas.values()].flatMap(({ places }) =>
    measures.flatMap((measure) =>
      places[measure].filter((place) => place.startsWith(path)).map((place) => `${measure}: ${place}`),
    ),
  );
}
