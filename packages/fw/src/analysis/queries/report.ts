import { declarationKey } from "../../model/declarations.ts";
import type { ESTree } from "rolldown/utils";
import type { DeclarationKey } from "../../model/declaration-ref.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { QueryShape } from "../../model/entity.ts";
import type { FieldUse, QueriesRead, QueryFault, QueryUse } from "../readers/query.ts";
import type { SourceNode } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { ConstantRead } from "../tracing/constant-writes.ts";
import { filterKey, mostAlternatives, type QueryAlternative, type Filter, type QueryValue } from "./value.ts";

const ranges: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);

export interface UnknownQuery {
  readonly place: SourceNode;
  /** True if interpreted code calls the enclosing function. */
  readonly isCalled: boolean;
  /** True if only the type shows whether the call is a query. */
  readonly isUnclear: boolean;
}

/** The queries of one module, including queries on unknown entities. */
export interface QueriesInModule extends Omit<QueriesRead, "unclear"> {
  /** The locations of queries on known entities, by `keyAt`. */
  readonly startedQueries: ReadonlySet<string>;
  /** The expressions that the interpreter reached. */
  readonly visited: ReadonlySet<ESTree.Node>;
  readonly entities: ReadonlySet<ESTree.Node>;
  readonly unknown: readonly UnknownQuery[];
  /** Literals that determine a query, each with the place that reads it. */
  readonly constantReads: readonly ConstantRead[];
}

export function keyAt({ path, line, column }: Span): string {
  return `${path}:${line}:${column}`;
}

/** A use whose shapes are still being collected, keyed by their JSON. */
interface UseInProgress extends Omit<QueryUse, "shapes"> {
  readonly shapes: Map<string, QueryShape>;
}

/** Collects results without duplicates, because the interpreter runs functions several times. */
export class QueryReport {
  readonly #uses = new Map<string, UseInProgress>();
  readonly #skipping = new Map<string, DeclarationKey>();
  readonly #fields = new Map<string, FieldUse>();
  readonly #faults = new Map<string, QueryFault>();
  readonly #startedQueries = new Set<string>();
  readonly #visitedNodes = new Set<ESTree.Node>();
  readonly #entities = new Set<ESTree.Node>();
  readonly #unknown: UnknownQuery[] = [];
  readonly #constantReads = new Map<ESTree.Node, ConstantRead>();
  /** The order in which the interpreter first reached each call of `where` or `search`, and its first argument. */
  readonly #firstVisits = new Map<ESTree.Node, number>();

  addFault(fault: QueryFault): void {
    const key = `${fault.kind} ${keyAt(fault.at)}`;
    if (!this.#faults.has(key)) this.#faults.set(key, fault);
  }

  addEscape(at: SourceNode, how: string, value: QueryValue): void {
    const [first] = value.alternatives;
    if (first) this.addFault({ kind: "escape", at: spanAt(at), how, begins: spanAt(first.begins) });
  }

  addEntityEscape(at: SourceNode, how: string): void {
    this.addFault({ kind: "escape", at: spanAt(at), how, begins: spanAt(at) });
  }

  /** Records that a query on a known entity starts or continues. */
  addStart(at: SourceNode): void {
    this.#startedQueries.add(keyAt(spanAt(at)));
  }

  /** Records the start of a query on an object that may be an entity. */
  addUnknownStart(query: UnknownQuery): void {
    this.#unknown.push(query);
  }

  /** Records that the interpreter reached an expression. */
  addVisit(node: ESTree.Node, isEntity: boolean): void {
    this.#visitedNodes.add(node);
    if (isEntity) this.#entities.add(node);
  }

  /** Records the literals that determine a query's entity, fields or steps. */
  addConstantReads(literals: readonly SourceNode[], at: SourceNode): void {
    for (const literal of literals)
      if (!this.#constantReads.has(literal.node)) this.#constantReads.set(literal.node, { literal, at: spanAt(at) });
  }

  addField(use: FieldUse): void {
    this.#fields.set(`${use.use} ${keyAt(use.at)} ${use.entity.module} ${use.field}`, use);
  }

  addSkips({ alternatives }: QueryValue): void {
    for (const { entity } of alternatives) this.#skipping.set(declarationKey(entity), entity);
  }

  noteOrder(filter: ESTree.Node): void {
    if (!this.#firstVisits.has(filter)) this.#firstVisits.set(filter, this.#firstVisits.size);
  }

  /** Records the possible shapes of a query at the call that runs it, or the fault that prevents them. */
  addUse(at: SourceNode, { alternatives }: QueryValue): void {
    const conditional = this.#conditional(alternatives);
    const most = Math.min(...alternatives.map(({ conditions }) => conditions));
    const surplus = conditional[most];
    if (surplus) {
      const others = conditional.slice(0, most).map((filter) => spanAt(filter.at));
      const indexes = indexCount(alternatives, conditional);
      return this.addFault({ kind: "conditions", at: spanAt(surplus.at), others, indexes, all: conditional.length });
    }
    if (alternatives.length > mostAlternatives) return this.addFault({ kind: "shapes", at: spanAt(at) });
    for (const alternative of alternatives) if (alternative.isComplete) this.#addShape(at, alternative);
  }

  #addShape(at: SourceNode, alternative: QueryAlternative): void {
    const shape = shapeOf(alternative);
    const fault = faultOf(alternative, shape);
    if (fault) return this.addFault(fault);
    const { entity } = alternative;
    const place = spanAt(at);
    const key = `${declarationKey(entity)} ${keyAt(place)}`;
    const use = this.#uses.get(key) ?? { entity, at: place, shapes: new Map<string, QueryShape>() };
    this.#uses.set(key, use);
    const text = JSON.stringify(shape);
    if (!use.shapes.has(text)) use.shapes.set(text, shape);
  }

  /** Returns the filters that only some alternatives have, in the order of their first visits. */
  #conditional(alternatives: readonly QueryAlternative[]): readonly Filter[] {
    const counts = new Map<string, { most: number; least: number; readonly filters: Map<ESTree.Node, Filter> }>();
    for (const { filters } of alternatives)
      for (const filter of filters) counts.set(filterKey(filter), { most: 0, least: Infinity, filters: new Map() });
    for (const { filters } of alternatives) {
      for (const [key, count] of counts) {
        const mine = filters.filter((filter) => filterKey(filter) === key);
        count.most = Math.max(count.most, mine.length);
        count.least = Math.min(count.least, mine.length);
        for (const filter of mine) count.filters.set(filter.at.node, filter);
      }
    }
    const filters = [...counts.values()].flatMap(({ most, least, filters }) => {
      return this.#inOrder([...filters.values()]).slice(least, most);
    });
    return this.#inOrder(filters);
  }

  #inOrder(filters: readonly Filter[]): Filter[] {
    return filters.toSorted(
      (a, b) => (this.#firstVisits.get(a.at.node) ?? 0) - (this.#firstVisits.get(b.at.node) ?? 0),
    );
  }

  result(): QueriesInModule {
    return {
      startedQueries: this.#startedQueries,
      visited: this.#visitedNodes,
      entities: this.#entities,
      unknown: this.#unknown,
      constantReads: [...this.#constantReads.values()],
      uses: Array.from(this.#uses.values(), (use) => ({ ...use, shapes: [...use.shapes.values()] })),
      fields: [...this.#fields.values()],
      faults: [...this.#faults.values()],
      skipping: [...this.#skipping.values()],
    };
  }
}

export function spanAt({ module, node }: SourceNode): QueryUse["at"] {
  return spanOf(module, node);
}

/** Returns the shape of an alternative, without sort fields that an equality filter makes constant. */
function shapeOf({ filters, orders }: QueryAlternative): QueryShape {
  const equal = [...new Set(filters.filter(({ operator }) => !ranges.has(operator)).map(({ field }) => field))];
  const range = filters.find(({ operator }) => ranges.has(operator))?.field;
  const sorted = orders.filter(
    ({ field }, index) => !equal.includes(field) && orders.findIndex((order) => order.field === field) === index,
  );
  return {
    equal: equal.toSorted(),
    ...(range === undefined ? {} : { range }),
    orders: sorted.map(({ field, direction }) => ({ field, direction })),
  };
}

/**
 * Counts the composite indexes of a query's sort orders. Each order needs one per conditional field, and one without
 * conditional fields unless a single-field index suffices.
 */
function indexCount(alternatives: readonly QueryAlternative[], conditional: readonly Filter[]): number {
  const orders = new Map(alternatives.map(shapeOf).map((shape) => [JSON.stringify(shape.orders), shape]));
  const conditionalFields = new Set(conditional.flatMap(({ field, operator }) => (ranges.has(operator) ? [] : field)));
  const hasFixedFilter = alternatives.every(({ filters }) =>
    filters.some(({ field }) => !conditionalFields.has(field)),
  );
  return [...orders.values()].reduce((sum, { orders: { length } }) => {
    const withoutConditions = hasFixedFilter || length > 1 ? 1 : 0;
    return length === 0 ? sum : sum + conditionalFields.size + withoutConditions;
  }, 0);
}

function faultOf({ filters, orders }: QueryAlternative, shape: QueryShape): QueryFault | undefined {
  const [first, ...others] = filters.filter(({ operator }) => ranges.has(operator));
  if (!first) return undefined;
  const about = { range: first.field, first: spanAt(first.at) };
  const second = others.find(({ field }) => field !== first.field);
  if (second) return { kind: "ranges", at: spanAt(second.at), field: second.field, ...about };
  const equality = filters.find(({ field, operator }) => field === first.field && !ranges.has(operator));
  if (equality) return { kind: "compared", at: spanAt(equality.at), field: first.field, ...about };
  const sorted = orders.find(({ field }) => !shape.equal.includes(field));
  if (!sorted || sorted.field === first.field) return undefined;
  return { kind: "order", at: spanAt(sorted.at), field: sorted.field, ...about };
}
