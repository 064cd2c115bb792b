import type { App, DeclarationRef, Package } from "../model/app.ts";
import type { Carrier, Receiver } from "../model/background.ts";
import type { ImportLines } from "./import-lines.ts";

/** The generated module beside an application's module that declares queues, topics or jobs. */
export function carriersSpecifier(module: string): string {
  return `fw:carriers/${module}`;
}

export interface CarrierModule {
  readonly path: string;
  readonly carriers: readonly Carrier[];
}

/** The queues, topics and jobs of a package by the module that declares them, in order. */
export function carrierModules({ carriers = [] }: Package): readonly CarrierModule[] {
  const paths = [...new Set(carriers.map(({ declaration }) => declaration.module))];
  return paths.map((path) => ({ path, carriers: carriers.filter(({ declaration }) => declaration.module === path) }));
}

/** What the bundle says of background work; each part absent where there is none. The runners of jobs are in `whole`. */
export function backgroundText({ packages }: App, lines: ImportLines, whole: App): readonly string[] {
  const tasks = tasksByJob(whole.packages);
  const carriers = packages.flatMap(carrierModules).map(({ path, carriers }) => {
    const counts = carriers.map(({ kind, name }) => (kind === "job" ? (tasks.get(name) ?? 1) : 1));
    return `    ...${lines.named(carriersSpecifier(path), "carriers")}(${JSON.stringify(counts)}),`;
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
    ...list("carriers", carriers),
    ...list(
      "receivers",
      rows(packages, lines, (part) => part.receivers, receiverFacts),
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
  const runners = packages.flatMap((part) => part.receivers ?? []).filter(({ kind }) => kind === "runner");
  return new Map(runners.map(({ source, tasks = 1 }) => [source.name, tasks]));
}

function receiverFacts({ kind, declaration, service, source, delivery }: Receiver, index: number): Facts {
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
  const { buckets = [], carriers = [], receivers = [], crons = [], singletons = [] } = part;
  return [...buckets, ...carriers, ...receivers, ...crons, ...singletons].map(({ declaration }) => declaration);
}
