import { afterAll, beforeAll, expect, test } from "vitest";
import { endpointsOf } from "../../model/declarations.ts";
import type { Checker } from "../checker/checker.ts";
import { openAnalyzer, type Analysis } from "../index.ts";
import type { WrittenApp } from "../testing/app.ts";
import { openOracle, type Oracle } from "../testing/schema-oracle.ts";
import { sameSchema } from "../testing/schema-text.ts";
import { writeTypedApp } from "../testing/typed-app.ts";

const literalHandlers = [
  `() => "text"`,
  `() => 1`,
  `() => -1.5`,
  `() => true`,
  "() => `at ${Date.now()}`",
  `() => version`,
  `async () => version`,
  `async (_ctx) => { return version; }`,
  `function () { return (name); }`,
  `() => imported`,
  `() => ({ ok: true, version, "a b": -2, inner: { name, flag: imported } })`,
];

/** Handlers whose response only TypeScript can infer. */
const otherHandlers = [
  `() => fixed`,
  `() => exact`,
  `() => current`,
  `(_ctx, { version }: { version?: string[] }) => version`,
  `(version) => ({ version: typeof version })`,
  `() => (Math.random() > 1 ? 1 : "a")`,
  `() => 1 as const`,
  `() => ({ version: 1, ...{ more: 2 } })`,
  `() => { const version = [1]; return version; }`,
  `() => [version]`,
  `() => (() => 1)()`,
];

const text = `-- shop/other.ts --
export const imported = false;
-- shop/shop.ts --
import { API } from "fw";
import { imported } from "./other.ts";
export const version = 3;
export const name = "shop";
export const fixed: 4 = 4;
export const exact = 5 as const;
export let current = 6;
current = imported ? 7 : 8;
${[...literalHandlers, ...otherHandlers].map((handler, index) => `export const r${index} = API("GET /r${index}", ${handler});`).join("\n")}
`;

let app: WrittenApp;
let analysis: Analysis;
let oracle: Oracle;
beforeAll(async () => {
  app = await writeTypedApp(text);
  const analyzer = openAnalyzer(app.root, { checker: unavailable });
  analysis = await analyzer.analyze();
  analyzer.close();
  oracle = openOracle(app.root, ["shop/shop.ts", "shop/other.ts"]);
});
afterAll(() => app[Symbol.asyncDispose]());

/** A checker that refuses every question. */
const unavailable: Checker = {
  start: () => {},
  update: () => {},
  texts: () => Promise.reject(new Error("unavailable")),
  walks: () => Promise.reject(new Error("unavailable")),
  data: () => Promise.reject(new Error("unavailable")),
  declarationsAt: () => Promise.reject(new Error("unavailable")),
  diagnostics: () => Promise.reject(new Error("unavailable")),
  close: () => Promise.resolve(),
};

test.each(literalHandlers.map((handler, index) => ({ handler, index })))(
  "the response of $handler is what TypeScript infers, without asking",
  ({ index }) => {
    const { app: model } = analysis;
    const endpoint = model.packages
      .flatMap(endpointsOf)
      .find(({ declaration }) => declaration.variable === `r${index}`);
    const response = oracle.argument("shop/shop.ts", `r${index}`, 1);
    expect(endpoint && sameSchema(endpoint.response, model.types, response.schema, response.types)).toBe(true);
  },
);

test.each(otherHandlers.map((handler, index) => ({ handler, index: index + literalHandlers.length })))(
  "the response of $handler needs TypeScript",
  ({ index }) => {
    expect(analysis.app.packages.flatMap(endpointsOf).map(({ declaration }) => declaration.variable)).not.toContain(
      `r${index}`,
    );
  },
);
