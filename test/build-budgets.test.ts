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
  ["local", [80, 111, 109]],
  ["gcp", [109, 120, 134]],
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
  hello: { hello: [160, 191, 170] },
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
    payments: [347, 402, 268],
    shop: [447, 519, 334],
    "shop-checkOut": [327, 398, 271],
    warehouse: [350, 404, 269],
    "warehouse-ship": [310, 365, 247],
  },
  conduit: { "articles-api": [383, 438, 288], "people-api": [368, 423, 280] },
  notes: {
    notes: [548, 1170, 373],
    "notes-sendMail": [310, 365, 246],
    "notes-mailLost": [289, 343, 239],
    "notes-extractText": [326, 380, 260],
    "notes-reindexNotes": [330, 385, 261],
    "notes-welcomeNote": [371, 425, 276],
    "notes-welcomeMail": [357, 412, 273],
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
