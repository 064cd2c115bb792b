import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { transformSync } from "rolldown/utils";
import { expect, test } from "vitest";
import { openAnalyzer } from "../packages/fw/src/analysis/index.ts";
import { writeTypedApp } from "../packages/fw/src/analysis/testing/typed-app.ts";
import { beginDeclaring } from "../packages/fw/src/declare/declaration-records.ts";
import { HOST } from "../packages/fw/src/declare/slot.ts";
import * as real from "../packages/fw/src/declare/index.ts";
import { tries } from "../packages/fw/src/lib/testing/tries.ts";
import type { App, Declaration } from "../packages/fw/src/model/app.ts";
import type { Diagnostic } from "../packages/fw/src/model/diagnostic.ts";
import { isDeclarationName } from "../packages/fw/src/model/kinds.ts";
import type { Schema, TypeTable } from "../packages/fw/src/model/schema.ts";
import type { Bundle } from "../packages/fw/src/runtime/bundle.ts";
import { checkDeclared } from "../packages/fw/src/runtime/check-declarations.ts";
import { programOf, spellings, type Program } from "./spellings/grammar.ts";
import { randomOf } from "./spellings/spelling.ts";

/** The declarations of a program, the indexes of its queries, and the fields of its requests. */
interface Reading {
  readonly declared: readonly string[];
  readonly indexes: readonly string[];
}

/** The number of programs that are analyzed as one application, each in its own directory. */
const atOnce = 60;

/** The fields of the requests, for every spelling of their type. */
const parameters = "list: string[], n: number, opt?: boolean, s: a | b";

test("whatever way a program says it, fw knows what it declares when it runs, or says where it does not", async () => {
  const seed = Number(process.env["FW_SEED"] ?? 1);
  const counts: Counts = { analysis: 0, load: 0, types: 0, same: 0, failed: 0 };
  const silent: string[] = [];
  for (let batch = 0; batch < tries(1); batch += 1) {
    const programs = Array.from({ length: atOnce }, (_, index): readonly [string, Program] => {
      const id = `p${batch * atOnce + index}`;
      return [id, programOf(randomOf((seed * 1_000_003 + batch) * atOnce + index), id)];
    });
    silent.push(...(await compare(programs, counts)));
  }
  if (process.env["FW_TRIES"] !== undefined) process.stdout.write(`${JSON.stringify(counts)}\n`);
  expect(silent.join("\n\n")).toBe("");
  expect(spellings).toBeGreaterThan(400);
  expect(counts.same).toBeGreaterThan(tries(atOnce / 10));
});

/**
 * The numbers of programs with reported problems, by reporter (`analysis`, `load`, `types`), of programs with a correct
 * reading (`same`), and of programs that failed to run.
 */
interface Counts {
  analysis: number;
  load: number;
  types: number;
  same: number;
  failed: number;
}

/** Returns programs that run differently from fw's reading, without a reported problem. */
async function compare(programs: readonly (readonly [string, Program])[], counts: Counts): Promise<readonly string[]> {
  const text = programs.flatMap(([id, files]) => Array.from(files, ([path, code]) => `-- ${id}/${path} --\n${code}`));
  await using app = await writeTypedApp(text.join("\n"));
  const analyzer = openAnalyzer(app.root);
  try {
    const { app: model, diagnostics } = await analyzer.analyze();
    const toldPrograms = programsIn(diagnostics);
    const differing: (readonly [string, string])[] = [];
    for (const [id, files] of programs) {
      if (toldPrograms.has(id)) counts.analysis += 1;
      if (toldPrograms.has(id)) continue;
      const ran = await run(join(app.root, "node_modules", "ran"), id, files, model);
      const read = readingOf(model, id);
      if (ran === "failed") counts.failed += 1;
      else if (ran === "refused") counts.load += 1;
      else if (isSame(read, ran)) counts.same += 1;
      else differing.push([id, `${JSON.stringify(read)}\nand runs as ${JSON.stringify(ran)}\n${textOf(files)}`]);
    }
    if (differing.length === 0) return [];
    const typed = programsIn(await analyzer.typeDiagnostics());
    const silent = differing.filter(([id]) => !typed.has(id));
    counts.types += differing.length - silent.length;
    return silent.map(([, each]) => each);
  } finally {
    analyzer.close();
  }
}

/** Returns the ids of the programs that break fw's own rules. */
function programsIn(diagnostics: readonly Diagnostic[]): ReadonlySet<string | undefined> {
  const own = diagnostics.filter(({ code }) => code.startsWith("fw/"));
  return new Set(own.map(({ at }) => at.path.split("/", 1)[0]));
}

function isSame(read: Reading, ran: Reading): boolean {
  return read.declared.join() === ran.declared.join() && ran.indexes.every((each) => read.indexes.includes(each));
}

function textOf(files: Program): string {
  return Array.from(files, ([path, code]) => `-- ${path} --\n${code}`).join("\n");
}

function readingOf(model: App, id: string): Reading {
  const own = model.packages.filter(({ dir }) => dir === id).flatMap(({ declarations }) => declarations);
  const indexes = (model.indexes ?? []).filter(({ entity }) => entity.endsWith(`-${id}`));
  return {
    declared: own.flatMap((each) => knownOf(each, model.types)).toSorted(),
    indexes: indexes.map(
      ({ entity, fields }) => `${entity} ${fields.map((each) => Object.values(each).join(" ")).join()}`,
    ),
  };
}

function knownOf(drawn: Declaration, types: TypeTable): readonly string[] {
  if (drawn.kind === "api" || drawn.kind === "page") {
    const { kind, route, settings, request } = drawn;
    const fields = fieldsOf(request.body, types);
    return [`${kind} ${route.pattern} ${settings.allow?.variable ?? "-"} ${kind === "api" ? fields : ""}`];
  }
  return "name" in drawn ? [`${drawn.kind} ${drawn.name}`] : [];
}

/** Formats an object's members, sorted by name. */
function fieldsOf(
  fields: readonly { readonly name: string; readonly optional: boolean; readonly schema: Schema }[],
  types: TypeTable,
): string {
  const texts = fields.map(
    ({ name, optional, schema }) => `${name}${optional ? "?" : ""}: ${schemaText(schema, types)}`,
  );
  return texts.toSorted().join(", ");
}

function schemaText(schema: Schema, types: TypeTable): string {
  switch (schema.kind) {
    case "ref":
      return schemaText(types[schema.id] ?? { kind: "never" }, types);
    case "literal":
      return String(schema.value);
    case "array":
      return `${schemaText(schema.items, types)}[]`;
    case "tuple":
      return schema.rest && schema.items.length === 0 ? `${schemaText(schema.rest, types)}[]` : "a tuple";
    case "union":
      return schema.variants
        .map((each) => schemaText(each, types))
        .toSorted()
        .join(" | ");
    case "object":
      return `{ ${fieldsOf(schema.fields, types)} }`;
    default:
      return schema.kind;
  }
}

/**
 * Runs a program with fw's own functions. Returns its declarations and queries, "refused" if the wiring does not fit
 * them, or "failed" if it throws.
 */
async function run(dir: string, id: string, files: Program, model: App): Promise<Reading | "failed" | "refused"> {
  beginDeclaring();
  const drawn: Drawn[] = [];
  const key = `fw-spelling-${id}`;
  (globalThis as Record<string, unknown>)[key] = { real, declared: drawn };
  const place = join(dir, id);
  write(
    join(place, "node_modules", "fw", "package.json"),
    '{ "name": "fw", "type": "module", "exports": "./index.js" }',
  );
  write(join(place, "node_modules", "fw", "index.js"), recorder(key));
  try {
    for (const [path, code] of files) {
      if (path.includes("node_modules") || path.endsWith(".json")) write(join(place, path), code);
      else write(join(place, path.replace(/\.m?[jt]s$/, ".mjs")), compiled(code));
    }
    const load = async (name: string): Promise<Record<string, unknown>> =>
      (await import(/* @vite-ignore */ pathToFileURL(join(place, name)).href)) as Record<string, unknown>;
    const modules = new Map([
      [`${id}/a.ts`, await load("a.mjs")],
      [`${id}/data.ts`, await load("data.mjs")],
    ]);
    const data = modules.get(`${id}/data.ts`) ?? {};
    if (isRefused(wiringOf(model, id, modules))) return "refused";
    const nameOf = (policy: unknown): string => Object.keys(data).find((name) => data[name] === policy) ?? "-";
    const readings = drawn.flatMap(({ name, given: [what, , settings] }) => {
      const kind = name.toLowerCase();
      if (kind === "policy") return [];
      if (kind !== "api" && kind !== "page") return [`${kind} ${String(what)}`];
      return [`${kind} ${String(what)} ${nameOf((settings as Settings)?.allow)} ${kind === "api" ? parameters : ""}`];
    });
    const indexes = new Set<string>();
    for (const { given } of drawn) {
      const handler = given.find((each) => typeof each === "function");
      for (const each of handler ? await indexesOf(handler as Handler) : []) indexes.add(each);
    }
    return { declared: readings.toSorted(), indexes: [...indexes] };
  } catch {
    return "failed";
  } finally {
    delete (globalThis as Record<string, unknown>)[key];
  }
}

function isRefused(bundle: Bundle): boolean {
  try {
    return (checkDeclared(bundle), false);
  } catch {
    return true;
  }
}

/** Returns the part of a program's wiring that corresponds to its declarations. */
function wiringOf(model: App, id: string, modules: ReadonlyMap<string, Record<string, unknown>>): Bundle {
  const own = model.packages.filter(({ dir }) => dir === id).flatMap(({ declarations }) => declarations);
  const valueOf = ({ module, variable }: { readonly module: string; readonly variable: string }): unknown =>
    modules.get(module)?.[variable];
  const rows = own.map((each) => ({
    ...each,
    declaration: valueOf(each.declaration),
    ...("route" in each && { route: each.route.pattern, ...each.settings, maxAge: 0, allow: undefined }),
    ...("route" in each &&
      each.settings.allow && { signIn: true, allow: { declaration: valueOf(each.settings.allow), name: "" } }),
  }));
  const of = (...kinds: readonly Declaration["kind"][]): never =>
    rows.filter(({ kind }) => kinds.includes(kind)) as never;
  const names = (kind: Declaration["kind"]): string[] =>
    own.flatMap((each) => ("name" in each && each.kind === kind ? [each.name] : []));
  return {
    app: id,
    match: () => -1,
    methods: [],
    packages: [],
    endpoints: of("api", "page"),
    entities: of("entity"),
    buckets: of("bucket"),
    destinations: of("queue", "topic", "job"),
    crons: of("cron"),
    metrics: of("counter"),
    auth: { social: false, password: false, roles: names("role") },
    secrets: names("secret"),
  };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

type Settings = { readonly allow?: unknown } | undefined;
type Handler = (ctx: unknown, request: unknown) => unknown;

interface Drawn {
  readonly name: string;
  readonly given: readonly unknown[];
}

interface Plan {
  readonly entity: { readonly name: string };
  readonly filters: readonly { readonly field: string; readonly operator: string }[];
  readonly orders: readonly { readonly field: string; readonly direction: string }[];
}

/** Returns the composite indexes that a handler's queries need. */
async function indexesOf(handler: Handler): Promise<ReadonlySet<string>> {
  const neededNames = new Set<string>();
  const plan = (_ctx: unknown, { entity, filters, orders }: Plan): readonly unknown[] => {
    const equal = filters.filter(({ operator }) => operator === "==" || operator === "in").map(({ field }) => field);
    const ranged = filters.find(({ operator }) => operator.startsWith(">"));
    const sorted = orders.length > 0 || !ranged ? orders : [{ field: ranged.field, direction: "asc" }];
    const fields = [
      ...equal.map((field) => `${field} asc`),
      ...sorted.map((each) => `${each.field} ${each.direction}`),
    ];
    if (fields.length > 1) neededNames.add(`${entity.name} ${fields.join()}`);
    return [];
  };
  const entities = {
    all: plan,
    first: (...given: Parameters<typeof plan>) => plan(...given)[0],
    count: (...given: Parameters<typeof plan>) => plan(...given).length,
    page: (...given: Parameters<typeof plan>) => ({ items: plan(...given) }),
    each: plan,
  };
  await handler({ [HOST]: { entities } }, { n: 1, s: "a", list: [] });
  return neededNames;
}

function recorder(key: string): string {
  const names = Object.keys(real).map((name) =>
    isDeclarationName(name)
      ? `export function ${name}(...given) { declared.push({ name: "${name}", given }); return real.${name}(...given); }`
      : `export const ${name} = real.${name};`,
  );
  return [`const { real, declared } = globalThis["${key}"];`, ...names].join("\n");
}

function compiled(code: string): string {
  const { code: script, errors } = transformSync("a.ts", code, { typescript: { onlyRemoveTypeImports: false } });
  if (errors.length > 0) throw new Error(`${errors[0]?.message}\n${code}`);
  return script.replace(/(["']\.\/[\w-]+)\.m?[jt]s(["'])/g, "$1.mjs$2");
}
