import type { App, DeclarationRef, Package } from "../model/app.ts";
import type { Destination, Consumer } from "../model/background.ts";
import type { ImportLines } from "./import-lines.ts";

/** The generated module beside an application's module that declares queues, topics or jobs. */
export function destinationsSpecifier(module: string): string {
  return `fw:destinations/${module}`;
}

export interface DestinationModule {
  readonly path: string;
  readonly destinations: readonly Destination[];
}

/** The queues, topics and jobs of a package by the module that declares them, in order. */
export function destinationModules({ destinations = [] }: Package): readonly DestinationModule[] {
  const paths = [...new Set(destinations.map(({ declaration }) => declaration.module))];
  return paths.map((path) => ({
    path,
    destinations: destinations.filter(({ declaration }) => declaration.module === path),
  }));
}

/** What the bundle says of background work; each part absent where there is none. The runners of jobs are in `whole`. */
export function backgroundText({ packages }: App, lines: ImportLines, whole: App): readonly string[] {
  const tasks = tasksByJob(whole.packages);
  const destinations = packages.flatMap(destinationModules).map(({ path, destinations }) => {
    const counts = destinations.map(({ kind, name }) => (kind === "job" ? (tasks.get(name) ?? 1) : 1));
    return `    ...${lines.named(destinationsSpecifier(path), "destinations")}(${JSON.stringify(counts)}),`;
  });
  return [
    ...list(
      "buckets",
      rows(
        packages,
        lines,
        (part) => part.buckets,
        ({ name }) => ({ name }),
      ),
    ),
    ...list("destinations", destinations),
    ...list(
      "consumers",
      rows(packages, lines, (part) => part.consumers, consumerFacts),
    ),
    ...list(
      "crons",
      rows(
        packages,
        lines,
        (part) => part.crons,
        ({ name, schedule, timezone, deadline }, index) => {
          return { name, package: index, schedule, timezone, deadline };
        },
      ),
    ),
    ...list(
      "singletons",
      rows(
        packages,
        lines,
        (part) => part.singletons,
        ({ name }, index) => ({ name, package: index }),
      ),
    ),
  ];
}

/** How many tasks a run of a job has: its runner says. */
function tasksByJob(packages: readonly Package[]): ReadonlyMap<string, number> {
  const runners = packages.flatMap((part) => part.consumers ?? []).filter(({ kind }) => kind === "runner");
  return new Map(runners.map(({ source, tasks = 1 }) => [source.name, tasks]));
}

function consumerFacts({ kind, declaration, service, source, delivery }: Consumer, index: number): Facts {
  return { kind, variable: declaration.variable, package: index, service, source, delivery };
}

type Facts = Readonly<Record<string, unknown>>;

/** One line for each declaration of a kind, with the index of its package. */
function rows<Part extends { readonly declaration: DeclarationRef }>(
  packages: readonly Package[],
  lines: ImportLines,
  partsOf: (part: Package) => readonly Part[] | undefined,
  factsOf: (part: Part, index: number) => Facts,
): readonly string[] {
  return packages.flatMap((each, index) =>
    (partsOf(each) ?? []).map((part) => {
      const facts = Object.entries(factsOf(part, index)).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
      return `    { declaration: ${lines.declaration(part.declaration)}, ${facts.join(", ")} },`;
    }),
  );
}

function list(name: string, rows: readonly string[]): readonly string[] {
  return rows.length === 0 ? [] : [`  ${name}: [`, ...rows, "  ],"];
}

/** The declarations of background work, which the bundle imports. */
export function backgroundDeclarations(part: Package): readonly DeclarationRef[] {
  const { buckets = [], destinations = [], consumers = [], crons = [], singletons = [] } = part;
  return [...buckets, ...destinations, ...consumers, ...crons, ...singletons].map(({ declaration }) => declaration);
}
