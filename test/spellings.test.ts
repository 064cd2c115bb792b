import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { transformSync } from "rolldown/utils";
import { expect, test } from "vitest";
import { openAnalyzer } from "../packages/fw/src/analysis/index.ts";
import { writeTypedApp } from "../packages/fw/src/analysis/testing/typed-app.ts";
import { HOST } from "../packages/fw/src/declare/slot.ts";
import * as real from "../packages/fw/src/declare/index.ts";
import { tries } from "../packages/fw/src/lib/testing/tries.ts";
import type { App } from "../packages/fw/src/model/app.ts";
import { endpointsOf } from "../packages/fw/src/model/declarations.ts";
import { programOf, randomOf, spellings, type Program } from "./spellings/grammar.ts";

/** What a program declares, and the entities of which a query needs an index. */
interface Said {
  readonly routes: readonly string[];
  readonly indexes: readonly string[];
}

/** Programs that are analysed as one application, each in a directory of its own. */
const atOnce = 100;

test("whatever way a program says it, the analysis knows what it declares when it runs, or says where it does not", async () => {
  const seed = Number(process.env["FW_SEED"] ?? 1);
  let followed = 0;
  const silent: string[] = [];
  for (let batch = 0; batch < tries(1); batch += 1) {
    const programs = Array.from({ length: atOnce }, (_, index): readonly [string, Program] => {
      const id = `p${batch * atOnce + index}`;
      return [id, programOf(randomOf((seed * 1_000_003 + batch) * atOnce + index), id)];
    });
    const compared = await compare(programs);
    followed += compared.followed;
    silent.push(...compared.silent);
  }
  expect(silent.join("\n\n")).toBe("");
  expect(spellings).toBeGreaterThan(180);
  expect(followed).toBeGreaterThan(atOnce / 10);
});

interface Compared {
  /** How many programs the analysis found nothing wrong with. */
  readonly followed: number;
  /** Those of them of which it knows something else than what runs. */
  readonly silent: readonly string[];
}

async function compare(programs: readonly (readonly [string, Program])[]): Promise<Compared> {
  const text = programs.flatMap(([id, files]) => Array.from(files, ([path, code]) => `-- ${id}/${path} --\n${code}`));
  await using app = await writeTypedApp(text.join("\n"));
  const analyzer = openAnalyzer(app.root);
  try {
    const { app: model, diagnostics } = await analyzer.analyze();
    const told = new Set(diagnostics.map(({ at }) => dirname(at.path)));
    let followed = 0;
    const silent: string[] = [];
    for (const [id, files] of programs) {
      const ran = told.has(id) ? undefined : await run(join(app.root, "node_modules", "ran"), id, files);
      if (ran === undefined) continue;
      followed += 1;
      const { routes, indexes } = known(model, id);
      const isSame = routes.join() === ran.routes.join() && ran.indexes.every((each) => indexes.includes(each));
      if (!isSame)
        silent.push(
          `${JSON.stringify({ routes, indexes: indexes.filter((each) => each.endsWith(id)) })}\nand runs as ${JSON.stringify(ran)}\n${textOf(files)}`,
        );
    }
    return { followed, silent };
  } finally {
    analyzer.close();
  }
}

function textOf(files: Program): string {
  return Array.from(files, ([path, code]) => `-- ${path} --\n${code}`).join("\n");
}

function known(model: App, id: string): Said {
  const own = model.packages.filter(({ dir }) => dir === id).flatMap(endpointsOf);
  const routes = own.map(({ kind, route, settings }) => `${kind} ${route.pattern} ${settings.allow?.variable ?? "-"}`);
  return { routes: routes.toSorted(), indexes: (model.indexes ?? []).map(({ entity }) => entity) };
}

/** What a program declares and asks when it runs with fw's own functions; undefined where it fails. */
async function run(dir: string, id: string, files: Program): Promise<Said | undefined> {
  const declared: Declared[] = [];
  const key = `fw-spelling-${id}`;
  (globalThis as Record<string, unknown>)[key] = { real, declared };
  const place = join(dir, id);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "fw.mjs"), recorder(key));
  for (const [path, code] of files) writeFileSync(join(place, path.replace(/ts$/, "mjs")), compiled(code));
  try {
    await import(/* @vite-ignore */ pathToFileURL(join(place, "a.mjs")).href);
    const data = (await import(/* @vite-ignore */ pathToFileURL(join(place, "data.mjs")).href)) as Record<
      string,
      unknown
    >;
    const nameOf = (policy: unknown): string => Object.keys(data).find((name) => data[name] === policy) ?? "-";
    const routes = declared.map(({ name, given: [route, , settings] }) => {
      return `${name.toLowerCase()} ${String(route)} ${nameOf(settings?.allow)}`;
    });
    const asked = new Set<string>();
    for (const { given } of declared) for (const each of await askedBy(given[1])) asked.add(each);
    return { routes: routes.toSorted(), indexes: [...asked] };
  } catch {
    return undefined;
  } finally {
    delete (globalThis as Record<string, unknown>)[key];
  }
}

interface Declared {
  readonly name: string;
  readonly given: readonly [unknown, (ctx: unknown) => unknown, { readonly allow?: unknown }?];
}

/** The entities that a handler's queries are of. */
async function askedBy(handler: (ctx: unknown) => unknown): Promise<ReadonlySet<string>> {
  const asked = new Set<string>();
  const all = (_ctx: unknown, plan: { readonly entity: { readonly name: string } }): readonly unknown[] => {
    asked.add(plan.entity.name);
    return [];
  };
  await handler({ [HOST]: { entities: { all } } });
  return asked;
}

function recorder(key: string): string {
  const names = Object.keys(real).map((name) =>
    name === "API" || name === "Page"
      ? `export function ${name}(...given) { declared.push({ name: "${name}", given }); return real.${name}(...given); }`
      : `export const ${name} = real.${name};`,
  );
  return [`const { real, declared } = globalThis["${key}"];`, ...names].join("\n");
}

function compiled(code: string): string {
  const { code: script, errors } = transformSync("a.ts", code, { typescript: { onlyRemoveTypeImports: false } });
  if (errors.length > 0) throw new Error(`${errors[0]?.message}\n${code}`);
  return script.replace(/(["'])fw\1/g, '"./fw.mjs"').replace(/(["']\.\/[\w-]+)\.ts(["'])/g, "$1.mjs$2");
}
