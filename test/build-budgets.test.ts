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
    board: [378, 434, 276],
    desk: [701, 1382, 437],
    "desk-accountMail": [461, 1116, 318],
    "desk-runExport": [359, 415, 272],
    "desk-sendMail": [605, 661, 262],
  },
  hub: { hub: [920, 1059, 476] },
  shop: {
    payments: [335, 392, 255],
    shop: [435, 508, 321],
    "shop-checkOut": [303, 375, 252],
    warehouse: [337, 393, 256],
    "warehouse-ship": [285, 341, 228],
  },
  conduit: { "articles-api": [371, 427, 275], "people-api": [356, 412, 267] },
  notes: {
    notes: [550, 1173, 374],
    "notes-sendMail": [285, 341, 227],
    "notes-mailLost": [264, 320, 219],
    "notes-extractText": [317, 371, 255],
    "notes-reindexNotes": [322, 377, 256],
    "notes-welcomeNote": [359, 414, 264],
    "notes-welcomeMail": [345, 401, 261],
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
