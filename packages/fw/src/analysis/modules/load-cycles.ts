import type { Diagnostic } from "../../model/diagnostic.ts";
import type { DeclaredModule } from "../declared.ts";
import { cyclicNodes, circularNeeds, type LoadNeed, type LoadNeeds } from "./load-needs.ts";
import { needsWithoutOrder } from "./load-order.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";

/**
 * Reports modules that read each other's values while they load: the one that loads first finds the other
 * uninitialized. Without such modules, reports the reads that no load order satisfies. Ignores modules that no
 * declaration reaches.
 */
export function loadCycles(project: Project, modules: readonly DeclaredModule[]): readonly Diagnostic[] {
  const cycles = findCycles(circularNeeds(project, modules));
  if (cycles.length > 0) return cycles.map(cycleDiagnostic);
  const [first, ...others] = needsWithoutOrder(project, modules);
  return first === undefined ? [] : [noOrderDiagnostic(first, others)];
}

/**
 * Finds cycles that share no module: the shortest cycle of each module, in reverse path order, unless it shares a
 * module with an earlier cycle.
 */
function findCycles(needs: LoadNeeds): readonly (readonly LoadNeed[])[] {
  const leads = new Map([...needs].map(([path, each]) => [path, each.map(({ from }) => from)] as const));
  const reportedPaths = new Set<string>();
  const cycles: (readonly LoadNeed[])[] = [];
  for (const path of [...cyclicNodes(leads)].toSorted().toReversed()) {
    const way = reportedPaths.has(path) ? undefined : shortestCycle(needs, path);
    if (way === undefined || way.some(({ from }) => reportedPaths.has(from))) continue;
    for (const { from } of way) reportedPaths.add(from);
    cycles.push(way);
  }
  return cycles;
}

/**
 * Reports a read that no load order satisfies. JavaScript evaluates an imported module before its importer, unless the
 * import is already loading. If two modules read values of a module that imports both, one of them loads too early.
 */
function noOrderDiagnostic(first: LoadNeed, others: readonly LoadNeed[]): Diagnostic {
  return {
    code: "import",
    at: spanOf(first.module, first.node),
    message: `"${first.node.name}" is not initialized when this module loads, whichever module loads first: ${first.from} imports this module and another that needs it`,
    hint,
    related: others.map(relatedNeed),
  };
}

function shortestCycle(needs: LoadNeeds, path: string): readonly LoadNeed[] | undefined {
  const paths = new Map<string, readonly LoadNeed[]>([[path, []]]);
  for (const [at, way] of paths) {
    for (const need of needs.get(at) ?? []) {
      if (need.from === path) return [...way, need];
      if (!paths.has(need.from)) paths.set(need.from, [...way, need]);
    }
  }
  return undefined;
}

function cycleDiagnostic(cycle: readonly LoadNeed[]): Diagnostic {
  const [first, ...others] = cycle as readonly [LoadNeed, ...LoadNeed[]];
  const chain = [first.module.path, ...cycle.map(({ from }) => from)].join(" → ");
  return {
    code: "import",
    at: spanOf(first.module, first.node),
    message: `"${first.node.name}" is not initialized when this module loads: the modules import each other, ${chain}`,
    hint,
    related: others.map(relatedNeed),
  };
}

const hint = "move the shared values into a module that both import, or read them inside a function";

function relatedNeed({ module, node }: LoadNeed): NonNullable<Diagnostic["related"]>[number] {
  return { at: spanOf(module, node), message: `"${node.name}" is read here while the module loads` };
}
