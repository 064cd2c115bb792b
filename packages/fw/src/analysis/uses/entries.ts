import type { App, DeclarationRef, Package } from "../../model/app.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { EntryUses, Use } from "../../model/uses.ts";
import { textOf, useOf, type Graph } from "./graph.ts";
import { reach, type Node } from "./reach.ts";
import { endpointOf, keyOf } from "./resources.ts";

type Uses = ReadonlyMap<string, Span>;

/** What each handler of an application can reach: by package, endpoints first. */
export function entryUses({ packages }: App, { nodes, parts, modules }: Graph): readonly EntryUses[] {
  const entries = packages.map(entriesOf);
  const starts = entries.flat().map(({ module, variable }): Node => {
    const own = [parts.get(keyOf(module, variable)), modules.get(module)];
    return { uses: new Map(), next: own.flatMap((node) => node ?? []) };
  });
  const reached = reach([...nodes, ...starts]);
  let start = nodes.length;
  return packages.flatMap((part, index) => {
    const own = entries[index] ?? [];
    const uses = within(
      part,
      own.map(() => reached(start++)),
    );
    return own.map(({ module, variable }, at) => ({ module, variable, uses: sorted(uses(at)) }));
  });
}

/** The declarations of a package whose code runs by itself: endpoints, receivers, crons, singletons and the status page. */
function entriesOf({
  endpoints,
  receivers = [],
  crons = [],
  singletons = [],
  status,
}: Package): readonly DeclarationRef[] {
  const declarations = [...endpoints, ...receivers, ...crons, ...singletons].map(({ declaration }) => declaration);
  return status === undefined ? declarations : [...declarations, status];
}

/** What the entries of a package use where a call of one of its own endpoints runs that endpoint's code in place. */
function within(part: Package, entries: readonly Uses[]): (entry: number) => Uses {
  const own = new Map(part.endpoints.map((endpoint, index) => [textOf(endpointOf(part, endpoint), "call"), index]));
  const nodes = entries.map((uses): Node => {
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
