import { join } from "node:path";
import ts from "typescript-6";
import { expect, test } from "vitest";
import { openChecker } from "../packages/fw/src/analysis/checker/checker.ts";
import { createResolver, schemaOf } from "../packages/fw/src/analysis/schema/schema.ts";
import { openProject } from "../packages/fw/src/analysis/source/project.ts";
import { writeTypedApp } from "../packages/fw/src/analysis/testing/typed-app.ts";
import { resolveUntilStable } from "../packages/fw/src/analysis/types/endpoints.ts";
import { bundled, valueDecoder } from "../packages/fw/src/generate/testing/decoding.ts";
import { endpoint } from "../packages/fw/src/generate/testing/models.ts";
import { tries } from "../packages/fw/src/lib/testing/tries.ts";
import type { Schema, TypeTable } from "../packages/fw/src/model/schema.ts";
import { Chance, exactly, head, keeps, textOf, typeOf, valueOf, type Value } from "./types/random.ts";

/** Returns a module for a type, which may refer to itself as `Self`. */
function moduleOf(text: string): string {
  return `${head}export type Self = ${text};\n`;
}

interface Case {
  readonly type: string;
  readonly value: Value;
  /** The decoder's result: a value, or the message of its 400. */
  readonly found: unknown;
  readonly accepted: boolean;
  /** Whether the value satisfies the type's constraints in some interpretation of the type, and in every one. */
  readonly keeps: { readonly some: boolean; readonly every: boolean };
}

test("what TypeScript accepts for a type is decoded where it keeps its constraints, what is decoded is of the type, and it travels on as it is", async () => {
  const chance = new Chance(Number(process.env["FW_SEED"] ?? 11));
  const drawnTypes = Array.from({ length: tries(16) }, () => typeOf(chance, 4));
  const files = drawnTypes.map((type, i) => `-- shop/t${i}.ts --\n${moduleOf(textOf(type))}`);
  await using app = await writeTypedApp(files.join(""));
  const project = openProject(app.root);
  const resolver = createResolver(project);
  const checker = openChecker(app.root);
  const reads = drawnTypes.map((_, i) => () => {
    const module = project.module(`shop/t${i}.ts`);
    const alias = module?.program.body.flatMap((each) =>
      each.type === "ExportNamedDeclaration" && each.declaration?.type === "TSTypeAliasDeclaration"
        ? [each.declaration]
        : [],
    )[0];
    if (!module || !alias) throw new Error("a module has no type");
    const { start, end } = alias.id;
    const reference = { type: "TSTypeReference", typeName: alias.id, typeArguments: null, start, end } as never;
    return schemaOf(resolver, module, reference, "value");
  });
  const schemas = await resolveUntilStable(resolver, checker, reads);
  await checker.close();
  const cases: Case[][] = drawnTypes.map((type, i) => {
    const schema = schemas[i];
    if (!schema || schema.refusals.length > 0) return [];
    const decode = valueDecoder(schema.value, schema.types);
    const encode = encoderOf(schema.value, schema.types);
    return Array.from({ length: 12 }, () => {
      const value = valueOf(chance, type, type, 6);
      const found = outcome(() => decode(value.json));
      if (found.accepted) expect(decode(encode(found.value)), value.json).toEqual(found.value);
      const json: unknown = JSON.parse(value.json);
      const kept = { some: keeps(type, json, "some"), every: keeps(type, json, "every") };
      return { type: textOf(type), value, found: found.value, accepted: found.accepted, keeps: kept };
    });
  });
  const verdicts = judged(app.root, drawnTypes.map(textOf), cases);
  const wrong = verdicts.flatMap(({ type, value, found, accepted, takes, holds, keeps }) => {
    if (takes && keeps.every && !accepted) return [`${type}\n  takes ${value.code}\n  refused: ${String(found)}`];
    if (accepted && !keeps.some) return [`${type}\n  has constraints that ${value.json} does not keep`];
    return accepted && !holds ? [`${type}\n  does not take ${value.json}\n  decoded to ${exactly(found)}`] : [];
  });
  expect(wrong).toEqual([]);
  expect(verdicts.filter(({ takes }) => takes).length).toBeGreaterThan(tries(20));
  expect(verdicts.filter(({ accepted }) => !accepted).length).toBeGreaterThan(tries(16));
  expect(verdicts.filter(({ takes, accepted }) => takes && !accepted).length).toBeGreaterThan(tries(4));
}, 600_000);

/** Returns a function that encodes a value as in a response, a message or the body of a call. */
function encoderOf(response: Schema, types: TypeTable): (value: unknown) => string {
  return bundled(endpoint("GET /x", "x", { response }), types).encode ?? JSON.stringify;
}

function outcome(decode: () => unknown): { readonly accepted: boolean; readonly value: unknown } {
  const value = decode();
  const isRefusal = typeof value === "string" && /^body( v\S*)?: /.test(value);
  return { accepted: !isRefusal, value };
}

interface Verdict extends Case {
  /** True if the encoded value has the type. */
  readonly takes: boolean;
  /** True if the decoded value has the type. */
  readonly holds: boolean;
}

/** Returns the classic checker's results for all cases. A type with an error has no results. */
function judged(root: string, types: readonly string[], cases: readonly (readonly Case[])[]): readonly Verdict[] {
  const texts = new Map(
    types.map((text, i) => {
      const lines = (cases[i] ?? []).flatMap(({ value, found, accepted }) => [
        `{ const v: Self = ${value.code}; void v; }`,
        accepted ? `{ const v: Self = undefined as unknown as ${exactly(found)}; void v; }` : "",
      ]);
      const name: string = join(root, `shop/judged${i}.ts`);
      return [name, `${moduleOf(text)}${lines.join("\n")}\n`] as const;
    }),
  );
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const read = host.readFile.bind(host);
  const exists = host.fileExists.bind(host);
  host.readFile = (name) => texts.get(name) ?? read(name);
  host.fileExists = (name) => texts.has(name) || exists(name);
  const program = ts.createProgram([...texts.keys()], options, host);
  const first = moduleOf("").split("\n").length - 1;
  return [...texts.keys()].flatMap((name, i) => {
    const file = program.getSourceFile(name);
    const starts = program.getSemanticDiagnostics(file).map(({ start }) => start ?? 0);
    const lines = new Set(starts.map((start) => file?.getLineAndCharacterOfPosition(start).line ?? 0));
    if ([...lines].some((line) => line < first)) return [];
    return (cases[i] ?? []).map((each, at) => ({
      ...each,
      takes: !lines.has(first + 2 * at),
      holds: !lines.has(first + 2 * at + 1),
    }));
  });
}
