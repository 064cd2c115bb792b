import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { processorMs } from "../../lib/testing/processor-time.ts";
import { tries } from "../../lib/testing/tries.ts";
import type { Schema } from "../../model/schema.ts";
import { openChecker } from "../checker/checker.ts";
import { parseModule } from "../source/parse.ts";
import { openProject, type Project } from "../source/project.ts";
import { corpusHead, corpusModules } from "../testing/schema-corpus.ts";
import { openOracle } from "../testing/schema-oracle.ts";
import { sameSchema, schemaText } from "../testing/schema-text.ts";
import { writeTypedApp } from "../testing/typed-app.ts";
import { resolveUntilStable } from "../types/endpoints.ts";
import { createResolver, schemaOf, type ResolvedType } from "./schema.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

const names = [
  "Order",
  "Customer",
  "Address",
  "Tree",
  "Ping",
  "Shape",
  "Circle",
  "Status",
  "Color",
  "Level",
  "UserId",
  "Int",
  "Int64",
  "Json",
  "Date",
  "string",
  "number",
  "boolean",
  "null",
  "undefined",
  "never",
  "Map<string, string>",
  "() => void",
  "Local",
  "Wire",
  "Event1",
  "WithBase",
  "Xor",
  "{}",
];
const keys = ["id", "total", "note", "street", "kind", "a", "name"];

/** Generates types as an attacker or a careless user may write them. */
const anyType: fc.Arbitrary<string> = fc.letrec<{ type: string }>((tie) => {
  const type = tie("type");
  const key = fc.constantFrom(...keys);
  const literal = fc.constantFrom(`"a"`, `"id"`, `"note"`, "1", "-2", "true", "false");
  const objects = fc.uniqueArray(fc.tuple(key, fc.constantFrom(":", "?:"), type), {
    maxLength: 3,
    selector: ([name]) => name,
  });
  return {
    type: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(...names),
      literal,
      type.map((inner) => `(${inner})[]`),
      fc.array(type, { minLength: 2, maxLength: 4 }).map((parts) => parts.map((part) => `(${part})`).join(" | ")),
      fc.tuple(type, type).map(([a, b]) => `(${a}) & (${b})`),
      objects.map((fields) => `{ ${fields.map(([name, mark, inner]) => `${name}${mark} ${inner}`).join("; ")} }`),
      fc.tuple(type, fc.boolean()).map(([inner, optional]) => `[string, (${inner})${optional ? "?" : ""}]`),
      type.map((inner) => `Record<string, ${inner}>`),
      fc.tuple(literal, type).map(([name, inner]) => `Record<${name} | "b", ${inner}>`),
      fc
        .tuple(
          fc.constantFrom(
            "Partial",
            "Required",
            "Readonly",
            "NonNullable",
            "Nullable",
            "Loose",
            "Strict",
            "Maybe",
            "Page",
            "Linked",
            "List",
            "Awaited",
            "Unwrap",
          ),
          type,
        )
        .map(([name, inner]) => `${name}<${inner}>`),
      fc.tuple(fc.constantFrom("Pick", "Omit"), type, key).map(([name, inner, of]) => `${name}<${inner}, "${of}">`),
      fc.tuple(fc.constantFrom("Exclude", "Extract"), type, type).map(([name, a, b]) => `${name}<${a}, ${b}>`),
      fc.tuple(type, key).map(([inner, of]) => `(${inner})["${of}"]`),
      type.map((inner) => `keyof (${inner})`),
      fc
        .tuple(fc.constantFrom("Order", "Address", "Tree", "Circle"), type)
        .map(([a, b]) => `{ [K in keyof ${a}]: ${b} }`),
      fc.tuple(type, type).map(([a, b]) => `(${a}) extends (${b}) ? "yes" : "no"`),
      fc.tuple(type, type).map(([a, b]) => `Either<${a}, ${b}>`),
      fc
        .tuple(fc.constantFrom("Status", "keyof Order", "Color", "Level", "boolean", "string", "null"), literal)
        .map(([a, b]) => `\`x-\${${a}}-\${${b}}\``),
    ),
  };
}).type;

interface Outcome {
  readonly name: string;
  readonly found: ResolvedType<Schema>;
}

async function readAll(
  types: readonly string[],
): Promise<{ readonly root: string; readonly outcomes: readonly Outcome[] }> {
  const aliases = types.map((type, index) => `export type Case${index} = ${type};`);
  const app = await writeTypedApp(`${corpusModules}\n-- cases.ts --\n${corpusHead}${aliases.join("\n")}\n`, ["zod"]);
  const checker = openChecker(app.root);
  cleanups.push(
    () => checker.close(),
    async () => app[Symbol.asyncDispose](),
  );
  const project = openProject(app.root);
  const module = project.module("cases.ts");
  if (!module || module.syntaxErrors.length > 0) throw new Error("the cases do not parse");
  const resolver = createResolver(project);
  const read = types.map((_, index) => () => {
    const [declaration] = module.types.get(`Case${index}`) ?? [];
    if (declaration?.type !== "TSTypeAliasDeclaration") throw new Error(`no Case${index}`);
    return schemaOf(resolver, module, declaration.typeAnnotation, "value");
  });
  const found = await resolveUntilStable(resolver, checker, read);
  return { root: app.root, outcomes: found.map((each, index) => ({ name: `Case${index}`, found: each })) };
}

test(
  "odd types never disagree silently with the classic checker",
  async () => {
    const types = fc.sample(anyType, { seed: 1, numRuns: tries(120) });
    const { root, outcomes } = await readAll(types);
    const oracle = openOracle(root, ["cases.ts"]);
    const mistaken = oracle.mistaken("cases.ts");
    const wrong: string[] = [];
    for (const [index, { name, found }] of outcomes.entries()) {
      if (mistaken.has(name)) continue;
      const verdict = oracle.alias("cases.ts", name);
      // Refusing a valid type would be noticed; accepting a type that cannot be sent would not.
      const agrees =
        found.refusals.length > 0 ||
        (verdict.refused.length === 0 && sameSchema(found.value, found.types, verdict.schema, verdict.types));
      if (!agrees)
        wrong.push(
          `${types[index]}\n   read ${schemaText(found.value)}\n   is ${verdict.refused.length > 0 ? `refused: ${verdict.refused.join()}` : schemaText(verdict.schema)}`,
        );
    }
    expect(wrong).toEqual([]);
    expect(
      outcomes.filter(({ name, found }) => !mistaken.has(name) && found.refusals.length === 0).length,
    ).toBeGreaterThan(25);
  },
  tries(240_000),
);

/** Creates a project with one file, for types that need no checker. */
function projectOf(text: string): Project {
  const module = parseModule("a.ts", text);
  return {
    root: "/app",
    files: () => ["a.ts"],
    module: (path) => (path === "a.ts" ? module : undefined),
    modules: () => [module],
    ambient: () => [],
    resolve: () => undefined,
    relyOn: () => undefined,
    trackLiterals: (read) => ({ result: read(), literals: [] }),
    scripts: () => [],
  };
}

function read(text: string): ResolvedType<Schema> {
  const project = projectOf(text);
  const module = project.module("a.ts");
  const [declaration] = module?.types.get("T") ?? [];
  if (!module || declaration?.type !== "TSTypeAliasDeclaration") throw new Error("no T");
  return schemaOf(createResolver(project), module, declaration.typeAnnotation, "value");
}

const many = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join("");

describe("types that explode are refused or asked about in bounded time", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["an alias of itself", "type T = T;"],
    ["aliases in a ring", "type T = A; type A = B; type B = T;"],
    ["a union with itself", "type T = T | string;"],
    ["an intersection with itself", "type T = T & { a: string };"],
    ["an interface that extends itself", "interface I extends I { a: string } type T = I;"],
    ["interfaces that extend each other", "interface I extends J {} interface J extends I {} type T = I;"],
    ["keys of itself", "type T = { [K in keyof T]: T[K] };"],
    ["a member of itself", `type T = { a: T["a"] };`],
    ["arrays a thousand deep", `type T = ${"(".repeat(1_000)}string${")[]".repeat(1_000)};`],
    ["objects a hundred deep", `type T = ${"{ a: ".repeat(100)}string${" }".repeat(100)};`],
    [
      "aliases five thousand long",
      `${many(5_000, (index) => `type A${index} = A${index + 1};`)} type A5000 = string; type T = A0;`,
    ],
    [
      "interfaces five thousand long",
      `${many(5_000, (index) => `interface A${index} { n: A${index + 1} }`)} interface A5000 { s: string } type T = A0;`,
    ],
    ["a generic that grows", "type G<X> = { n: G<X[]> }; type T = G<string>;"],
    ["a generic that doubles", "type G<X> = { a: G<[X]>; b: G<X[]> }; type T = G<string>;"],
    ["a union that doubles", "type G<X> = G<[X]> | G<X[]>; type T = G<string>;"],
    [
      "arguments that double",
      `${many(60, (index) => `type D${index}<X> = D${index + 1}<[X, X]>;`)} type D60<X> = X; type T = D0<string>;`,
    ],
    [
      "fields that double",
      `${many(40, (index) => `type D${index} = { a: D${index + 1}; b: D${index + 1} };`)} type D40 = string; type T = D0;`,
    ],
    ["a union of twenty thousand", `type T = ${many(20_000, (index) => ` | "v${index}"`)};`],
    ["an object of ten thousand fields", `type T = { ${many(10_000, (index) => `f${index}: string;`)} };`],
    [
      "a template of a billion texts",
      `type D = 0|1|2|3|4|5|6|7|8|9; type T = \`\${D}\${D}\${D}\${D}\${D}\${D}\${D}\${D}\${D}\`;`,
    ],
    ["an intersection of unions", `type U = ${many(40, (index) => ` | { k: ${index} }`)}; type T = U & U & U & U;`],
    [
      "prototype names",
      `type T = { __proto__: string; constructor: number; hasOwnProperty?: boolean; toString: "x" };`,
    ],
    [
      "names of globals",
      "interface Record { a: string } interface Date { b: number } type T = { r: Record; d: Date };",
    ],
    ["an unknown global", "type T = Window;"],
    ["text that does not parse", "type T = { a: ; ]"],
  ];
  test.each(cases)("%s", async (_, text) => {
    let outcome: ResolvedType<Schema> | undefined;
    const tried = (): void => {
      try {
        outcome = read(text);
      } catch (error) {
        if (!(error instanceof Error && error.message === "no T")) throw error;
      }
    };
    expect(await processorMs(tried, 5_000)).toBeLessThan(5_000);
    expect(JSON.stringify(outcome?.value ?? "").length).toBeLessThan(2_000_000);
  });

  test("re-exports that go in circles end", () => {
    const paths = Array.from({ length: 12 }, (_, index) => `m${index}.ts`);
    const stars = paths.map((path) => `export * from "./${path}";`).join("\n");
    const modules = new Map(paths.map((path) => [path, parseModule(path, stars)]));
    const cases = parseModule(
      "a.ts",
      `import type { Nowhere } from "./m0.ts"; import type { T as Round } from "./a.ts"; export type T = Nowhere; export type U = Round;`,
    );
    modules.set("a.ts", cases);
    const project: Project = {
      root: "/app",
      files: () => [...modules.keys()],
      module: (path) => modules.get(path),
      modules: () => [...modules.values()],
      ambient: () => [],
      resolve: (_, specifier) => specifier.slice(2),
      relyOn: () => undefined,
      trackLiterals: (read) => ({ result: read(), literals: [] }),
      scripts: () => [],
    };
    const [declaration] = cases.types.get("T") ?? [];
    if (declaration?.type !== "TSTypeAliasDeclaration") throw new Error("no T");
    const found = schemaOf(createResolver(project), cases, declaration.typeAnnotation, "value");
    expect(found.questions).toHaveLength(1);
    expect(found.modules).toEqual(["a.ts", ...paths].toSorted());
  });

  test("names of an object's prototype are plain fields", () => {
    expect(schemaText(read(cases.find(([name]) => name === "prototype names")?.[1] ?? "").value)).toBe(
      `{ __proto__: string; constructor: number; hasOwnProperty?: boolean; toString: "x" }`,
    );
  });
});
