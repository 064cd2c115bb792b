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
  ["local", [80, 111, 111]],
  ["gcp", [90, 120, 123]],
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
  hello: { hello: [159, 190, 170] },
  handbook: { handbook: [170, 201, 160] },
  desk: {
    board: [375, 436, 274],
    desk: [698, 1385, 435],
    "desk-accountMail": [457, 1119, 316],
    "desk-runExport": [356, 418, 270],
    "desk-sendMail": [602, 663, 260],
  },
  hub: { hub: [917, 1062, 474] },
  shop: {
    payments: [332, 394, 253],
    shop: [431, 511, 319],
    "shop-checkOut": [299, 377, 250],
    warehouse: [334, 395, 254],
    "warehouse-ship": [282, 343, 226],
  },
  conduit: { "articles-api": [368, 429, 273], "people-api": [352, 414, 265] },
  notes: {
    notes: [548, 1176, 372],
    "notes-sendMail": [281, 343, 225],
    "notes-mailLost": [260, 322, 217],
    "notes-extractText": [314, 373, 253],
    "notes-reindexNotes": [318, 379, 254],
    "notes-welcomeNote": [355, 416, 262],
    "notes-welcomeMail": [342, 403, 259],
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
