import type { Diagnostic } from "../../model/diagnostic.ts";
import type { DeclaredModule } from "../declared.ts";
import { circular, circularNeeds, type Need, type Needs } from "./load-needs.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";

/**
 * Modules that read each other's values while they are loaded: whichever is first, the other's are not there. Those that no
 * declaration reaches are left alone.
 */
export function loadCycles(project: Project, modules: readonly DeclaredModule[]): readonly Diagnostic[] {
  return cyclesIn(circularNeeds(project, modules)).map(reported);
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
    hint: "move what they need of each other into a module that both import, or read it inside a function",
    related: others.map(({ module, node }) => ({
      at: spanOf(module, node),
      message: `"${node.name}" is needed here while the module is loaded`,
    })),
  };
}
