import * as fc from "fast-check";
import { expect, test } from "vitest";
import { endpointsOf } from "../../model/declarations.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();
const tries = Number(process.env["FW_TRIES"] ?? 1);
/** A number to recognize in a model: no other number in these applications has the same digits. */
const mark = 4711;
const perApp = 60;

const imports = `import { API } from "fw";
import type { Body, Cookie, Form, Header, Int, Max, MaxItems, MaxLength, Query } from "fw";
type Maybe<T> = T | null;
interface Box<T> { inside: T; n: Int }
type Loose<T> = { [K in keyof T]: T[K] };
type Kept<T> = T extends string ? T : never;
`;

const constrained: fc.Arbitrary<string> = fc.constantFrom(
  `string & MaxLength<${mark}>`,
  `MaxLength<${mark}> & string`,
  `Int & Max<${mark}>`,
  `string[] & MaxItems<${mark}>`,
  `readonly Int[] & MaxItems<${mark}>`,
  `("a" | string) & MaxLength<${mark}>`,
);

const wrap = fc.constantFrom<(type: string) => string>(
  (type) => `(${type})[]`,
  (type) => `[${type}, Int?]`,
  (type) => `{ a: ${type}; b?: string }`,
  (type) => `{ a?: ${type} }`,
  (type) => `Maybe<${type}>`,
  (type) => `Box<${type}>`,
  (type) => `Box<${type}>["inside"]`,
  (type) => `Loose<{ a: ${type} }>`,
  (type) => `Partial<{ a: ${type} }>`,
  (type) => `Pick<{ a: ${type}; b: Int }, "a">`,
  (type) => `Omit<{ a: ${type}; b: Int }, "b">`,
  (type) => `Required<{ a?: ${type} }>`,
  (type) => `Readonly<${type}>`,
  (type) => `NonNullable<${type} | null>`,
  (type) => `Exclude<${type} | boolean, boolean>`,
  (type) => `Extract<${type} | boolean, string | number | object>`,
  (type) => `Record<string, ${type}>`,
  (type) => `Record<"x" | "y", ${type}>`,
  (type) => `{ [key: string]: ${type} }`,
  (type) => `(${type}) | boolean`,
  (type) => `(${type}) | { other: boolean }`,
  (type) => `{ a: Int } & { b: ${type} }`,
  (type) => `(${type}) & {}`,
  (type) => `ReturnType<() => ${type}>`,
  (type) => `Awaited<Promise<${type}>>`,
);

const value = fc
  .tuple(constrained, fc.array(wrap, { maxLength: 3 }))
  .map(([type, wraps]) => wraps.reduce((inner, outer) => outer(inner), type));

const marker = fc.constantFrom("Query", "Form", "Cookie", 'Header<string, "X-H">');
const field = fc.oneof(
  { weight: 4, arbitrary: value },
  marker.map((name) => `${name} & MaxLength<${mark}>`),
  marker.map((name) => `(${name} & MaxLength<${mark}>) | undefined`),
  fc.constantFrom("Query<Int>", "Form<Int>", "Cookie<Int>").map((name) => `${name} & Max<${mark}>`),
  fc.constantFrom(`Query<string[]> & MaxItems<${mark}>`, `MaxItems<${mark}> & Form<string[]>`),
  constrained.map((type) => `Body<${type}>`),
  fc.constantFrom(`Body<Int[]> & MaxItems<${mark}>`, `Body<string> & MaxLength<${mark}>`),
  fc.constantFrom(`Record<string & MaxLength<${mark}>, Int>`, `Box<Record<string & MaxLength<${mark}>, Int>>`),
);

test("every constraint of a request ends in the model or in a finding, wherever it is written", async () => {
  for (let round = 0; round < tries; round += 1) {
    const fields = fc.sample(field, { numRuns: perApp, ...seeded(round) });
    const lines = fields.map(
      (type, i) => `export const x${i} = API("POST /x${i}", (_ctx, req: { f: ${type} }) => typeof req);`,
    );
    const { app, diagnostics } = await bench.analyze(`-- shop/shop.ts --\n${imports}${lines.join("\n")}\n`);
    const first = imports.split("\n").length;
    const refused = new Set(diagnostics.map(({ at }) => at.line - first));
    const models = new Map(app.packages.flatMap(endpointsOf).map((each) => [each.declaration.variable, each.request]));
    const text = (index: number): string => withTypes(models.get(`x${index}`), app.types);
    const lost = fields.filter((_, i) => !refused.has(i) && !text(i).includes(String(mark)));
    expect(lost).toEqual([]);
    expect(refused.size, "most of these types are ordinary").toBeLessThan(perApp / 2);
  }
});

/** Returns the seed of a round: the same in each run of the suite, unless `FW_SEED` selects another. */
function seeded(round: number): { readonly seed: number } {
  return { seed: Number(process.env["FW_SEED"] ?? 1) + round };
}

/** Returns a request's model with the named types that it refers to. */
function withTypes(request: unknown, types: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(request);
  const named = Object.entries(types).filter(([id]) => text.includes(JSON.stringify(id)));
  return [text, ...named.map(([, schema]) => JSON.stringify(schema))].join();
}
