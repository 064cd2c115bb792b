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
  ["local", [80, 125, 111]],
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
  hello: { hello: [160, 207, 170] },
  handbook: { handbook: [170, 218, 160] },
  desk: {
    board: [376, 452, 274],
    desk: [699, 1401, 435],
    "desk-accountMail": [458, 1135, 316],
    "desk-runExport": [357, 434, 270],
    "desk-sendMail": [603, 679, 260],
  },
  hub: { hub: [918, 1078, 474] },
  shop: {
    payments: [333, 410, 253],
    shop: [432, 527, 319],
    "shop-checkOut": [300, 393, 250],
    warehouse: [335, 411, 254],
    "warehouse-ship": [283, 359, 226],
  },
  conduit: { "articles-api": [369, 445, 273], "people-api": [353, 430, 265] },
  notes: {
    notes: [549, 1192, 372],
    "notes-sendMail": [282, 359, 225],
    "notes-mailLost": [261, 338, 217],
    "notes-extractText": [315, 389, 253],
    "notes-reindexNotes": [319, 395, 254],
    "notes-welcomeNote": [356, 432, 262],
    "notes-welcomeMail": [343, 419, 259],
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
