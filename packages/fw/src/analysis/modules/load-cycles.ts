import type { Diagnostic } from "../../model/diagnostic.ts";
import type { DeclaredModule } from "../declared.ts";
import { circular, circularNeeds, type Need, type Needs } from "./load-needs.ts";
import { needsWithoutOrder } from "./load-order.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";

/**
 * Modules that read each other's values while they are loaded: whichever is first, the other's are not there. Those that no
 * declaration reaches are left alone.
 */
export function loadCycles(project: Project, modules: readonly DeclaredModule[]): readonly Diagnostic[] {
  const cycles = cyclesIn(circularNeeds(project, modules));
  if (cycles.length > 0) return cycles.map(reported);
  const [first, ...others] = needsWithoutOrder(project, modules);
  return first === undefined ? [] : [withoutOrder(first, others)];
}

/** One way around for each group of modules that need each other, as needs in turn; it begins with the last in path order. */
function cyclesIn(needs: Needs): readonly (readonly Need[])[] {
  const leads = new Map([...needs].map(([path, each]) => [path, each.map(({ from }) => from)] as const));
  const reported = new Set<string>();
  const cycles: (readonly Need[])[] = [];
  for (const path of [...circular(leads)].toSorted().toReversed()) {
    const way = reported.has(path) ? undefined : wayBack(needs, path);
    if (way === undefined || way.some(({ from }) => reported.has(from))) continue;
    for (const { from } of way) reported.add(from);
    cycles.push(way);
  }
  return cycles;
}

/**
 * JavaScript finishes a module that is imported by what it needs before that, unless it has begun it earlier: of two,
 * one is too early.
 */
function withoutOrder(first: Need, others: readonly Need[]): Diagnostic {
  return {
    code: "import",
    at: spanOf(first.module, first.node),
    message: `"${first.node.name}" is not there yet when this module is loaded, whichever module is loaded first: ${first.from} imports this module and another that needs it`,
    hint,
    related: others.map(relatedNeed),
  };
}

/** The shortest way from a module back to itself. */
function wayBack(needs: Needs, path: string): readonly Need[] | undefined {
  const ways = new Map<string, readonly Need[]>([[path, []]]);
  for (const [at, way] of ways) {
    for (const need of needs.get(at) ?? []) {
      if (need.from === path) return [...way, need];
      if (!ways.has(need.from)) ways.set(need.from, [...way, need]);
    }
  }
  return undefined;
}

function reported(way: readonly Need[]): Diagnostic {
  const [first, ...others] = way as readonly [Need, ...Need[]];
  const chain = [first.module.path, ...way.map(({ from }) => from)].join(" → ");
  return {
    code: "import",
    at: spanOf(first.module, first.node),
    message: `"${first.node.name}" is not there yet when this module is loaded: the modules need each other first, ${chain}`,
    hint,
    related: others.map(relatedNeed),
  };
}

const hint = "move what they need of each other into a module that both import, or read it inside a function";

function relatedNeed({ module, node }: Need): NonNullable<Diagnostic["related"]>[number] {
  return { at: spanOf(module, node), message: `"${node.name}" is needed here while the module is loaded` };
}
