import { grouped } from "../lib/grouped.ts";
import { alertRules } from "../model/alert-rules.ts";
import type { App, Declaration, Package } from "../model/app.ts";
import type { Destination } from "../model/background.ts";
import { consumersOf, destinationsOf, ofKind, type OfKind } from "../model/declarations.ts";
import { withRules } from "../model/evolution.ts";
import { documentsSpecifier } from "./document-module.ts";
import type { ImportLines } from "./import-lines.ts";
import { property } from "./text.ts";

/** Names the generated module for an application module that declares queues, topics or jobs. */
export function destinationsSpecifier(module: string): string {
  return `fw:destinations/${module}`;
}

/** Groups the queues, topics and jobs of a package by declaring module, in order. */
export function destinationModules(pkg: Package): ReadonlyMap<string, readonly Destination[]> {
  return grouped(destinationsOf(pkg), ({ declaration }) => declaration.module);
}

/**
 * Generates the bundle's rows of declarations that code refers to. Omits empty lists. `whole` is the complete
 * application, which contains the runners of jobs.
 */
export function declarationsText(app: App, lines: ImportLines, whole: App): readonly string[] {
  const { packages, types, indexes = [], countedFields = [] } = app;
  const rows = <Kind extends Declaration["kind"]>(
    key: string,
    kinds: readonly Kind[],
    factsOf: (declared: OfKind<Kind>, index: number) => Readonly<Record<string, unknown>>,
    codeOf: (declared: OfKind<Kind>) => readonly string[] = () => [],
  ): readonly string[] => {
    const found = packages.flatMap((pkg, index) =>
      ofKind(pkg, ...kinds).map((declared) => rowText(declared, factsOf(declared, index), lines, codeOf(declared))),
    );
    return list(key, found);
  };
  const messages = destinationsText(packages, lines, whole);
  return [
    ...rows(
      "entities",
      ["entity"],
      (entity) => {
        const { name, id, transient, tenant } = entity;
        const refs = entity.refs?.filter((ref) => packages.some((pkg) => entityNamed(pkg, ref.entity)));
        const values = countedFields
          .filter((each) => each.entity === name)
          .map((each) => [each.field, each.values] as const);
        const own = indexes.filter((index) => index.entity === name).map(({ fields }) => fields);
        return {
          name,
          id,
          indexed: withRules(entity, types),
          transient,
          ...(tenant !== undefined && { tenant }),
          ...(refs !== undefined && refs.length > 0 && { refs }),
          ...(values.length > 0 && { countValues: Object.fromEntries(values) }),
          indexes: own,
        };
      },
      ({ name, document }) =>
        document === undefined
          ? []
          : [`alternatives: ${property(lines.importName(documentsSpecifier, "documents"), name)}`],
    ),
    ...rows("buckets", ["bucket"], ({ name }) => ({ name })),
    ...list("destinations", messages),
    ...rows(
      "consumers",
      ["worker", "subscribe", "runner"],
      ({ kind, declaration, service, source, delivery }, index) => {
        return { kind, variable: declaration.variable, package: index, service, source, delivery };
      },
    ),
    ...rows("crons", ["cron"], ({ name, schedule, timezone, deadline }, index) => {
      return { name, package: index, schedule, timezone, deadline };
    }),
    ...rows("singletons", ["singleton"], ({ name, service }) => ({ name, service })),
    ...rows("tenants", ["tenant"], ({ name, field }) => ({ name, field })),
    ...rows("limits", ["limit"], ({ name }) => ({ name })),
    ...rows("feeds", ["feed"], ({ name }) => ({ name })),
    ...rows("mails", ["mail"], ({ name }) => ({ name })),
    ...rows("seeds", ["seed"], ({ name }, index) => ({ name, package: index })),
    ...rows("metrics", ["counter", "histogram"], ({ kind, name }) => ({ kind, name })),
    ...list(
      "alerts",
      alertRules(app).map((rule) => `    ${JSON.stringify(rule)},`),
    ),
  ];
}

/**
 * True if the package declares the entity. A service lacks an entity that its code does not read, even if a field
 * refers to it.
 */
function entityNamed(pkg: Package, name: string): boolean {
  return ofKind(pkg, "entity").some((entity) => entity.name === name);
}

function rowText(
  { declaration }: Declaration,
  facts: Readonly<Record<string, unknown>>,
  lines: ImportLines,
  code: readonly string[],
): string {
  const data = Object.entries(facts).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `    { declaration: ${lines.declaration(declaration)}, ${[...data, ...code].join(", ")} },`;
}

function list(name: string, rows: readonly string[]): readonly string[] {
  return rows.length === 0 ? [] : [`  ${name}: [`, ...rows, "  ],"];
}

function destinationsText(packages: readonly Package[], lines: ImportLines, whole: App): readonly string[] {
  const tasks = tasksByJob(whole.packages);
  const modules = packages.flatMap((pkg) => [...destinationModules(pkg)]);
  return modules.map(([path, destinations]) => {
    const counts = destinations.map(({ kind, name }) => (kind === "job" ? (tasks.get(name) ?? 1) : 1));
    return `    ...${lines.importName(destinationsSpecifier(path), "destinations")}(${JSON.stringify(counts)}),`;
  });
}

/** Returns the number of tasks in a run of each job, which its runner determines. */
function tasksByJob(packages: readonly Package[]): ReadonlyMap<string, number> {
  const runners = packages.flatMap(consumersOf).filter(({ kind }) => kind === "runner");
  return new Map(runners.map(({ source, tasks = 1 }) => [source.name, tasks]));
}
