import type { App, DeclarationRef, Package } from "../../model/app.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { EntryUses, Use } from "../../model/uses.ts";
import { textOf, useOf, type Graph } from "./graph.ts";
import { reach, type Node } from "./reach.ts";
import { endpointOf, keyOf } from "./resources.ts";

type Uses = ReadonlyMap<string, Span>;

/** What each handler of an application can reach: by package, endpoints first. */
export function entryUses({ packages }: App, graph: Graph): readonly EntryUses[] {
  const entries = packages.map(entriesOf);
  const reached = reach([...graph.nodes, ...packages.flatMap((part) => startsOf(graph, part))]);
  let start = graph.nodes.length;
  return packages.flatMap((part, index) => {
    const own = entries[index] ?? [];
    const uses = within(
      part,
      own.map(() => reached(start++)),
    );
    return own.map(({ module, variable }, at) => ({ module, variable, uses: sorted(uses(at)) }));
  });
}

/** Where the code of each entry of a package begins. */
export function startsOf({ parts, modules }: Graph, part: Package): readonly Node[] {
  return entriesOf(part).map(({ module, variable }) => {
    const own = [parts.get(keyOf(module, variable)), modules.get(module)];
    return { uses: new Map(), next: own.flatMap((node) => node ?? []) };
  });
}

/** The declarations of a package whose code runs by itself: endpoints, crons, consumers, singletons and the status page. */
function entriesOf({
  endpoints,
  consumers = [],
  crons = [],
  singletons = [],
  status,
}: Package): readonly DeclarationRef[] {
  const declarations = [...endpoints, ...crons, ...consumers, ...singletons].map(({ declaration }) => declaration);
  return status === undefined ? declarations : [...declarations, status];
}

/**
 * What the entries of a package use where those of its app service run the endpoints that they call in place. Consumers and
 * singletons are services of their own, which call endpoints as any other does.
 */
function within(part: Package, entries: readonly Uses[]): (entry: number) => Uses {
  const own = new Map(part.endpoints.map((endpoint, index) => [textOf(endpointOf(part, endpoint), "call"), index]));
  const { consumers = [], singletons = [] } = part;
  const firstOther = part.endpoints.length + (part.crons?.length ?? 0);
  const nodes = entries.map((uses, index): Node => {
    const isOther = index >= firstOther && index < firstOther + consumers.length + singletons.length;
    if (isOther) return { uses, next: [] };
    const called = [...uses.keys()].flatMap((text) => own.get(text) ?? []);
    if (called.length === 0) return { uses, next: [] };
    return { uses: new Map([...uses].filter(([text]) => !own.has(text))), next: called };
  });
  return reach(nodes);
}

function sorted(uses: Uses): readonly Use[] {
  const texts = [...uses].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return texts.map(([text, at]) => ({ ...useOf(text), at }));
}
