import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { serviceSizes, type ServiceSize } from "./support/costs.ts";
import { writeApplication } from "./support/dev-app.ts";
import { copyOfExample } from "./support/fw.ts";

/**
 * The budget of a service: the kilobytes that it loads before it serves, its total kilobytes, and the modules that it
 * loads. Raise one only for code that the service itself uses: code of a capability belongs behind its constant in
 * `runtime/capabilities.ts`.
 */
type Budget = readonly [loaded: number, all: number, modules: number];

const hello = {
  "hello.ts": `import { API } from "fw";\nexport const hello = API("GET /hello", () => ({ hello: "world" }));\n`,
};

test.each([
  ["local", [80, 111, 112]],
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
  hello: { hello: [160, 191, 171] },
  handbook: { handbook: [170, 201, 161] },
  desk: {
    board: [376, 438, 275],
    desk: [700, 1392, 436],
    "desk-accountMail": [444, 1106, 313],
    "desk-runExport": [342, 405, 266],
    "desk-sendMail": [589, 658, 256],
  },
  hub: { hub: [919, 1071, 474] },
  shop: {
    payments: [333, 396, 253],
    shop: [433, 520, 319],
    "shop-checkOut": [286, 365, 246],
    warehouse: [335, 397, 254],
    "warehouse-ship": [269, 331, 222],
  },
  conduit: { "articles-api": [369, 431, 274], "people-api": [354, 416, 265] },
  notes: {
    notes: [550, 1186, 372],
    "notes-sendMail": [268, 330, 221],
    "notes-mailLost": [247, 309, 213],
    "notes-extractText": [301, 361, 249],
    "notes-reindexNotes": [305, 366, 250],
    "notes-welcomeNote": [342, 403, 258],
    "notes-welcomeMail": [328, 390, 255],
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

/** Fails for a service that exceeds its budget or uses less than nine tenths of it. */
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
