import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Schema } from "../../model/schema.ts";
import { openChecker, type Checker } from "../checker/checker.ts";
import { openProject } from "../source/project.ts";
import type { WrittenApp } from "../testing/app.ts";
import { corpus, corpusHead, corpusModules } from "../testing/schema-corpus.ts";
import { openOracle, type Oracle, type Verdict } from "../testing/schema-oracle.ts";
import { sameSchema, schemaText } from "../testing/schema-text.ts";
import { writeTypedApp } from "../testing/typed-app.ts";
import { resolveUntilStable } from "../types/endpoints.ts";
import { createResolver, schemaOf, type ResolvedType } from "./schema.ts";

const aliases = corpus.map(([type], index) => `export type Case${index} = ${type};`);
/** Types that only TypeScript can infer, read by the checker. */
const forced = corpus.map(([type], index) => `export type Forced${index} = ReturnType<() => [${type}]>;`);

let app: WrittenApp;
let checker: Checker;
let oracle: Oracle;
let read: readonly ResolvedType<Schema>[];
let readByTypeScript: readonly ResolvedType<Schema>[];

beforeAll(async () => {
  app = await writeTypedApp(`${corpusModules}\n-- cases.ts --\n${corpusHead}${[...aliases, ...forced].join("\n")}\n`, [
    "zod",
  ]);
  const project = openProject(app.root);
  const module = project.module("cases.ts");
  if (!module) throw new Error("cases.ts is not there");
  const resolver = createResolver(project);
  const declarations = module.types;
  checker = openChecker(app.root);
  const readAll = (name: string): Promise<readonly ResolvedType<Schema>[]> =>
    resolveUntilStable(
      resolver,
      checker,
      corpus.map((_, index) => () => {
        const declaration = declarations.get(`${name}${index}`)?.[0];
        if (declaration?.type !== "TSTypeAliasDeclaration") throw new Error(`${name}${index} is no alias`);
        return schemaOf(resolver, module, declaration.typeAnnotation, "value");
      }),
    );
  read = await readAll("Case");
  readByTypeScript = await readAll("Forced");
  oracle = openOracle(app.root, ["cases.ts"]);
});

afterAll(async () => {
  await checker?.close();
  await app?.[Symbol.asyncDispose]();
});

function textOf({ value, refusals, types }: ResolvedType<Schema>): string {
  if (refusals.length > 0) return refusals.map(({ message }) => `<${message}>`).join(" ");
  const named = Object.entries(types).map(([id, schema]) => `${id.replace(/[\w./-]*#/g, "")} = ${schemaText(schema)}`);
  return [schemaText(value), ...named].join(", ").replace(/\d+~/g, "~");
}

function verdictText({ schema, refused }: Verdict): string {
  return refused.length > 0 ? `refused: ${refused.join(", ")}` : schemaText(schema);
}

describe("a type of the application is read as what travels, or refused with what to write instead", () => {
  test.each(corpus.map(([type, expected], index) => ({ type, expected, index })))("$type", ({ expected, index }) => {
    const found = read[index];
    expect(found && textOf(found)).toBe(expected);
  });
});

describe("the classic checker, walked object by object, agrees", () => {
  test.each(corpus.map(([type], index) => ({ type, index })))("$type", ({ index }) => {
    const found = read[index];
    const verdict = oracle.alias("cases.ts", `Case${index}`);
    if (!found) throw new Error("not read");
    const agrees =
      found.refusals.length > 0 || verdict.refused.length > 0
        ? found.refusals.length > 0 === verdict.refused.length > 0
        : sameSchema(found.value, found.types, verdict.schema, verdict.types);
    expect(agrees ? "agrees" : `${textOf(found)}\n against ${verdictText(verdict)}`).toBe("agrees");
  });
});

describe("syntax and TypeScript read a type alike", () => {
  test.each(corpus.map(([type], index) => ({ type, index })))("$type", ({ index }) => {
    const [bySyntax, byTypeScript] = [read[index], readByTypeScript[index]];
    if (!bySyntax || !byTypeScript) throw new Error("not read");
    const item = byTypeScript.value.kind === "tuple" ? byTypeScript.value.items[0] : undefined;
    const isRefused = bySyntax.refusals.length > 0 || byTypeScript.refusals.length > 0;
    const agrees = isRefused
      ? bySyntax.refusals.length > 0 === byTypeScript.refusals.length > 0
      : item !== undefined && sameSchema(bySyntax.value, bySyntax.types, item.schema, byTypeScript.types);
    expect(agrees ? "agrees" : `${textOf(bySyntax)}\n against ${textOf(byTypeScript)}`).toBe("agrees");
  });
});
