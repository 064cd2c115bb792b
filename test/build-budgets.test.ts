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
  hello: { hello: [159, 191, 170] },
  handbook: { handbook: [170, 201, 160] },
  desk: {
    board: [393, 448, 292],
    desk: [702, 1389, 444],
    "desk-accountMail": [476, 1131, 333],
    "desk-runExport": [372, 428, 300],
    "desk-sendMail": [633, 688, 284],
  },
  hub: { hub: [920, 1059, 477] },
  shop: {
    payments: [349, 405, 269],
    shop: [449, 522, 335],
    "shop-checkOut": [329, 402, 272],
    warehouse: [351, 407, 270],
    "warehouse-ship": [312, 368, 248],
  },
  conduit: { "articles-api": [385, 441, 289], "people-api": [370, 426, 281] },
  notes: {
    notes: [550, 1173, 374],
    "notes-sendMail": [312, 367, 247],
    "notes-mailLost": [291, 347, 240],
    "notes-extractText": [328, 383, 261],
    "notes-reindexNotes": [332, 388, 262],
    "notes-welcomeNote": [373, 428, 277],
    "notes-welcomeMail": [359, 415, 274],
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
