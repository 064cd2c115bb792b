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
    board: [389, 443, 288],
    desk: [642, 1379, 414],
    "desk-accountMail": [471, 1124, 329],
    "desk-mailLost": [290, 344, 239],
    "desk-sendMail": [629, 683, 278],
  },
  hub: { hub: [915, 1053, 475] },
  shop: {
    payments: [346, 400, 265],
    shop: [446, 517, 334],
    "shop-checkOut": [326, 397, 268],
    warehouse: [348, 403, 266],
    "warehouse-ship": [309, 363, 244],
  },
  conduit: { "articles-api": [382, 436, 286], "people-api": [367, 421, 278] },
  notes: {
    notes: [546, 1168, 373],
    "notes-sendMail": [308, 362, 243],
    "notes-mailLost": [288, 342, 236],
    "notes-extractText": [325, 378, 257],
    "notes-reindexNotes": [329, 383, 258],
    "notes-welcomeNote": [370, 423, 273],
    "notes-welcomeMail": [356, 410, 270],
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
