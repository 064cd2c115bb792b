import type { App, Declaration, DeclarationRef, Package } from "../../model/app.ts";
import { allOfKind, declarationKey, endpointsOf } from "../../model/declarations.ts";
import type { Span } from "../../model/diagnostic.ts";
import { readingOperations } from "../../model/grants.ts";
import { descriptionOf } from "../../model/kinds.ts";
import { endpointOf } from "../../model/resources.ts";
import type { EntryUses, Use } from "../../model/uses.ts";
import { referring, useKey, transacting, useOf, type Graph } from "./graph.ts";
import { reach, type Node } from "./reach.ts";

type Uses = ReadonlyMap<string, Span>;

/**
 * Lists what each handler can reach, by package, endpoints first. `asking` are the keys of endpoints that may identify
 * the user.
 */
export function entryUses({ packages }: App, graph: Graph, asking: ReadonlySet<string>): readonly EntryUses[] {
  const entries = packages.map(entriesOf);
  const referred = referredReads(packages);
  const ruled = referenceRuleUses(packages);
  const before = allOfKind(packages, "authenticator").map(({ declaration }) => declaration);
  const authenticators = (entry: DeclarationRef): readonly DeclarationRef[] =>
    asking.has(declarationKey(entry)) ? before : [];
  const reachedFrom = reach([...graph.nodes, ...packages.flatMap((pkg) => startsOf(graph, pkg, authenticators))]);
  let start = graph.nodes.length;
  return packages.flatMap((pkg, index) => {
    const own = entries[index] ?? [];
    const uses = addCalledEndpoints(
      pkg,
      own,
      own.map(() => reachedFrom(start++)),
    );
    return own.map(({ declaration }, at) => {
      const all = uses(at);
      return {
        module: declaration.module,
        variable: declaration.variable,
        uses: sortUses(ruled(referred(all))),
        transacts: all.has(transacting),
        asksVisitor: asking.has(declarationKey(declaration)),
      };
    });
  });
}

/** Returns the start nodes for a package's entries; `before` returns declarations whose code runs before an entry. */
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

/** Returns the declarations of a package that run code, endpoints first. */
function entriesOf(pkg: Package): readonly Declaration[] {
  const others = pkg.declarations.filter((declared) => descriptionOf(declared.kind).runs && !("route" in declared));
  return [...endpointsOf(pkg), ...others];
}

/**
 * Returns the uses of each entry by index, including the uses of endpoints that it calls in its own process. Consumers
 * and singletons are separate services and call endpoints over the network.
 */
function addCalledEndpoints(
  pkg: Package,
  entries: readonly Declaration[],
  uses: readonly Uses[],
): (entry: number) => Uses {
  const own = new Map(endpointsOf(pkg).map((endpoint, index) => [useKey(endpointOf(pkg, endpoint), "call"), index]));
  const nodes = uses.map((uses, index): Node => {
    const { kind } = entries[index] ?? {};
    if (kind !== undefined && descriptionOf(kind).runs === "alone") return { uses, next: [] };
    const calledNodes = [...uses.keys()].flatMap((text) => own.get(text) ?? []);
    if (calledNodes.length === 0) return { uses, next: [] };
    return { uses: new Map([...uses].filter(([text]) => !own.has(text))), next: calledNodes };
  });
  return reach(nodes);
}

/** Adds reads of referenced entities, if code may read them with the documents that refer to them. */
function referredReads(packages: readonly Package[]): (uses: Uses) => Uses {
  const targets = new Map(
    allOfKind(packages, "entity").map(({ name, refs = [] }) => [name, refs.map(({ entity }) => entity)]),
  );
  return (uses) => {
    if (!uses.has(referring)) return uses;
    const reads = [...uses].flatMap(([text, at]) => {
      const { kind, name, operation } = useOf(text);
      if (kind !== "entity" || !readingOperations.has(operation)) return [];
      return (targets.get(name) ?? []).map((target) => [useKey({ kind, name: target }, "getMany"), at] as const);
    });
    return new Map([...reads, ...uses]);
  };
}

const writingOperations: ReadonlySet<string | undefined> = new Set(["create", "put", "update"]);

/**
 * Adds what the rules of references do: a delete finds, deletes or changes the documents that refer to the deleted one,
 * and a write reads the documents that it refers to.
 */
function referenceRuleUses(packages: readonly Package[]): (uses: Uses) => Uses {
  const rules = allOfKind(packages, "entity").flatMap(({ name, refs = [] }) =>
    refs.flatMap(({ entity, onDelete }) => (onDelete === undefined ? [] : [{ name, entity, onDelete }])),
  );
  if (rules.length === 0) return (uses) => uses;
  const followingUses = (text: string): readonly string[] => {
    const { kind, name: used, operation } = useOf(text);
    if (kind !== "entity") return [];
    return rules.flatMap(({ name, entity, onDelete }) => {
      // A write may keep a reference, so the previous version of the document is also read.
      const reads = [name, entity];
      const change = { refuse: [], cascade: ["delete"], clear: ["update"] }[onDelete];
      const own = used === entity && operation === "delete" ? ["query", ...change] : [];
      return [
        ...own.map((each) => useKey({ kind, name }, each)),
        ...(used === name && writingOperations.has(operation)
          ? reads.map((each) => useKey({ kind, name: each }, "get"))
          : []),
      ];
    });
  };
  return (uses) => {
    const all = new Map(uses);
    for (const [text, at] of all) for (const each of followingUses(text)) if (!all.has(each)) all.set(each, at);
    return all;
  };
}

function sortUses(uses: Uses): readonly Use[] {
  const texts = [...uses]
    .filter(([text]) => text !== transacting && text !== referring)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return texts.map(([text, at]) => ({ ...useOf(text), at }));
}
