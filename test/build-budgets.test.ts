import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { serviceSizes, type ServiceSize } from "./support/costs.ts";
import { writeApplication } from "./support/dev-app.ts";
import { copyOfExample } from "./support/fw.ts";

/**
 * The budget of a service: kilobytes that it loads before it serves, kilobytes in all, and modules that it loads. Raise
 * one only if the service itself uses what it pays for: code of a capability belongs behind its constant in `runtime/capabilities.ts`.
 */
type Budget = readonly [loaded: number, all: number, modules: number];

const hello = {
  "hello.ts": `import { API } from "fw";\nexport const hello = API("GET /hello", () => ({ hello: "world" }));\n`,
};

test.each([
  ["local", [80, 111, 107]],
  ["gcp", [109, 120, 132]],
] as const)("a service of one API that is built for %s stays within its budget", async (platform, budget) => {
  const root = writeApplication(hello);
  try {
    const sizes = await serviceSizes(root, platform);
    expectWithin({ hello: budget }, new Map([["hello", [...sizes.values()][0] as ServiceSize]]));
  } finally {
    rmSync(root, { recursive: true });
  }
});

const examples: Readonly<Record<string, Readonly<Record<string, Budget>>>> = {
  hello: { hello: [159, 190, 168] },
  handbook: { handbook: [169, 200, 158] },
  desk: {
    board: [387, 441, 287],
    desk: [633, 1371, 410],
    "desk-accountMail": [469, 1122, 328],
    "desk-mailLost": [288, 342, 238],
    "desk-sendMail": [627, 681, 277],
  },
  hub: { hub: [912, 1051, 474] },
  shop: {
    payments: [344, 398, 264],
    shop: [444, 515, 333],
    "shop-checkOut": [324, 395, 267],
    warehouse: [346, 401, 265],
    "warehouse-ship": [307, 361, 243],
  },
  conduit: { "articles-api": [380, 434, 285], "people-api": [365, 419, 277] },
  notes: {
    notes: [544, 1165, 372],
    "notes-sendMail": [306, 360, 242],
    "notes-mailLost": [286, 340, 235],
    "notes-extractText": [323, 376, 256],
    "notes-reindexNotes": [327, 381, 257],
    "notes-welcomeNote": [368, 421, 272],
    "notes-welcomeMail": [354, 408, 269],
  },
};

test.each(Object.entries(examples))(
  "the services of the %s example stay within their budgets",
  async (name, budgets) => {
    const root = await copyOfExample(name);
    try {
      expectWithin(budgets, await serviceSizes(root));
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
);

/** Fails for a service above its budget, and for a budget that has become more than a tenth too high. */
function expectWithin(budgets: Readonly<Record<string, Budget>>, sizes: ReadonlyMap<string, ServiceSize>): void {
  expect([...sizes.keys()].toSorted()).toEqual(Object.keys(budgets).toSorted());
  const problems = [...sizes].flatMap(([name, { loaded, all, modules }]) => {
    const measures = [loaded / 1_000, all / 1_000, modules];
    return measures.flatMap((size, index) => {
      const budget = budgets[name]?.[index] ?? 0;
      if (size <= budget && size >= budget * 0.9) return [];
      return `${name}: ${budgetNames[index]} ${size.toFixed(1)}, and its budget is ${budget}`;
    });
  });
  expect(problems).toEqual([]);
}

const budgetNames = ["kB loaded", "kB in all", "modules loaded"];
