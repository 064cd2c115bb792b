import type { App, Declaration, DeclarationRef, Package } from "../../model/app.ts";
import { allOfKind, declarationKey, endpointsOf } from "../../model/declarations.ts";
import type { Span } from "../../model/diagnostic.ts";
import { descriptionOf } from "../../model/kinds.ts";
import { endpointOf } from "../../model/resources.ts";
import type { EntryUses, Use } from "../../model/uses.ts";
import { textOf, transacting, useOf, type Graph } from "./graph.ts";
import { reach, type Node } from "./reach.ts";

type Uses = ReadonlyMap<string, Span>;

/** What each handler of an application can reach: by package, endpoints first. `asking` are the keys of those that may ask who visits. */
export function entryUses({ packages }: App, graph: Graph, asking: ReadonlySet<string>): readonly EntryUses[] {
  const entries = packages.map(entriesOf);
  const before = allOfKind(packages, "authenticator").map(({ declaration }) => declaration);
  const authenticators = (entry: DeclarationRef): readonly DeclarationRef[] =>
    asking.has(declarationKey(entry)) ? before : [];
  const reached = reach([...graph.nodes, ...packages.flatMap((pkg) => startsOf(graph, pkg, authenticators))]);
  let start = graph.nodes.length;
  return packages.flatMap((pkg, index) => {
    const own = entries[index] ?? [];
    const uses = within(
      pkg,
      own,
      own.map(() => reached(start++)),
    );
    return own.map(({ declaration }, at) => {
      const all = uses(at);
      return {
        module: declaration.module,
        variable: declaration.variable,
        uses: sorted(all),
        transacts: all.has(transacting),
        asksVisitor: asking.has(declarationKey(declaration)),
      };
    });
  });
}

/** Where the code of each entry of a package begins; `before` are declarations whose code runs before that of an entry. */
export function startsOf(
  { parts, modules }: Graph,
  pkg: Package,
  before: (entry: DeclarationRef) => readonly DeclarationRef[],
): readonly Node[] {
  return entriesOf(pkg).map(({ declaration }) => {
    const all = [declaration, ...before(declaration)];
    const own = all.flatMap((ref) => [parts.get(declarationKey(ref)), modules.get(ref.module)]);
    return { uses: new Map(), next: own.flatMap((node) => node ?? []) };
  });
}

/** What of a package runs code by itself, endpoints first. */
function entriesOf(pkg: Package): readonly Declaration[] {
  const others = pkg.declarations.filter((declared) => descriptionOf(declared.kind).runs && !("route" in declared));
  return [...endpointsOf(pkg), ...others];
}

/**
 * What the entries of a package use where those of its app service run the endpoints that they call in place. Consumers and
 * singletons are services of their own, which call endpoints as any other does.
 */
function within(pkg: Package, entries: readonly Declaration[], uses: readonly Uses[]): (entry: number) => Uses {
  const own = new Map(endpointsOf(pkg).map((endpoint, index) => [textOf(endpointOf(pkg, endpoint), "call"), index]));
  const nodes = uses.map((uses, index): Node => {
    const { kind } = entries[index] ?? {};
    if (kind !== undefined && descriptionOf(kind).runs === "alone") return { uses, next: [] };
    const called = [...uses.keys()].flatMap((text) => own.get(text) ?? []);
    if (called.length === 0) return { uses, next: [] };
    return { uses: new Map([...uses].filter(([text]) => !own.has(text))), next: called };
  });
  return reach(nodes);
}

function sorted(uses: Uses): readonly Use[] {
  const texts = [...uses].filter(([text]) => text !== transacting).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return texts.map(([text, at]) => ({ ...useOf(text), at }));
}
