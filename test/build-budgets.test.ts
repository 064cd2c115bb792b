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
  ["local", [80, 111, 110]],
  ["gcp", [111, 122, 135]],
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
  hello: { hello: [162, 193, 168] },
  handbook: { handbook: [177, 207, 161] },
  desk: {
    board: [400, 455, 296],
    desk: [650, 1380, 425],
    "desk-accountMail": [480, 1150, 340],
    "desk-mailLost": [295, 350, 246],
    "desk-sendMail": [645, 700, 287],
  },
  hub: { hub: [912, 1052, 476] },
  shop: {
    payments: [343, 397, 266],
    shop: [443, 514, 335],
    "shop-checkOut": [324, 394, 268],
    warehouse: [346, 400, 266],
    "warehouse-ship": [305, 359, 244],
  },
  conduit: { "articles-api": [379, 433, 286], "people-api": [364, 418, 278] },
  notes: {
    notes: [542, 1164, 373],
    "notes-sendMail": [305, 359, 244],
    "notes-mailLost": [289, 339, 237],
    "notes-extractText": [321, 375, 257],
    "notes-reindexNotes": [325, 380, 259],
    "notes-welcomeNote": [367, 420, 273],
    "notes-welcomeMail": [355, 407, 270],
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
