import { declarationKey } from "../../model/declarations.ts";
import type { ESTree } from "rolldown/utils";
import type { Span } from "../../model/diagnostic.ts";
import type { QueryShape } from "../../model/entity.ts";
import { mostConditions } from "../../lib/limits.ts";
import type { FieldUse, QueriesRead, QueryFault, QueryUse } from "../readers/query.ts";
import type { SourceNode } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { ConstantRead } from "../tracing/constant-writes.ts";
import { filterKey, mostAlternatives, type Alternative, type Filter, type QueryValue } from "./value.ts";

const ranges: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);

/** A call of `query` of something that is not known. */
export interface Unknown {
  readonly at: Span;
  /** True where code that is followed called the function around it. */
  readonly called: boolean;
}

/** The queries of one module, with where what is asked is known and where it is not. */
export interface QueriesInModule extends QueriesRead {
  /** Where queries of known entities begin and take steps, by `keyAt`. */
  readonly begun: ReadonlySet<string>;
  /** The names that a run has come by, and the expressions that came to an entity. */
  readonly visited: ReadonlySet<ESTree.Node>;
  readonly entities: ReadonlySet<ESTree.Node>;
  readonly unknown: readonly Unknown[];
  /** Literals that decide what a query asks, each with the place that reads it. */
  readonly constantReads: readonly ConstantRead[];
}

export function keyAt({ path, line, column }: Span): string {
  return `${path}:${line}:${column}`;
}

/** Collects what is found, each thing once: functions are run several times. */
export class Report {
  readonly #uses = new Map<string, QueryUse>();
  readonly #fields = new Map<string, FieldUse>();
  readonly #faults = new Map<string, QueryFault>();
  readonly #begun = new Set<string>();
  readonly #visited = new Set<ESTree.Node>();
  readonly #entities = new Set<ESTree.Node>();
  readonly #unknown: Unknown[] = [];
  readonly #constantReads = new Map<ESTree.Node, ConstantRead>();
  /** The calls of `where` in the order in which a run first met them. */
  readonly #met = new Map<ESTree.Node, number>();

  fault(fault: QueryFault): void {
    const key = `${fault.kind} ${keyAt(fault.at)}`;
    if (!this.#faults.has(key)) this.#faults.set(key, fault);
  }

  escape(at: SourceNode, how: string, value: QueryValue): void {
    const [first] = value.alternatives;
    if (first) this.fault({ kind: "escape", at: span(at), how, begins: span(first.begins) });
  }

  entityEscape(at: SourceNode, how: string): void {
    this.fault({ kind: "escape", at: span(at), how, begins: span(at) });
  }

  /** A query of an entity that is known begins here, or takes a step. */
  begin(at: SourceNode): void {
    this.#begun.add(keyAt(span(at)));
  }

  /** What may be a query of an entity that is not known begins here; `called` by code that is followed. */
  beginUnknown(at: SourceNode, called: boolean): void {
    this.#unknown.push({ at: span(at), called });
  }

  /** A run comes by an expression, and knows whether it is an entity. */
  visit(node: ESTree.Node, isEntity: boolean): void {
    this.#visited.add(node);
    if (isEntity) this.#entities.add(node);
  }

  /** A query's entity, fields or steps come from these literals. */
  rely(literals: readonly SourceNode[], at: SourceNode): void {
    for (const literal of literals)
      if (!this.#constantReads.has(literal.node)) this.#constantReads.set(literal.node, { literal, at: span(at) });
  }

  field(use: FieldUse): void {
    this.#fields.set(`${use.use} ${keyAt(use.at)} ${use.entity.module} ${use.field}`, use);
  }

  meet(filter: ESTree.Node): void {
    if (!this.#met.has(filter)) this.#met.set(filter, this.#met.size);
  }

  /** The query is read here. */
  use(at: SourceNode, { alternatives }: QueryValue): void {
    const conditional = this.#conditional(alternatives);
    const fifth = conditional[mostConditions];
    if (fifth) {
      const others = conditional.slice(0, mostConditions).map((filter) => span(filter.at));
      return this.fault({ kind: "conditions", at: span(fifth.at), others });
    }
    if (alternatives.length > mostAlternatives) return this.fault({ kind: "shapes", at: span(at) });
    for (const alternative of alternatives) if (alternative.whole) this.#serve(at, alternative);
  }

  #serve(at: SourceNode, alternative: Alternative): void {
    const shape = shapeOf(alternative);
    const fault = faultOf(alternative, shape);
    if (fault) return this.fault(fault);
    const { entity } = alternative;
    const place = span(at);
    const key = `${declarationKey(entity)} ${keyAt(place)}`;
    const known = this.#uses.get(key)?.shapes ?? [];
    const text = JSON.stringify(shape);
    const shapes = known.some((other) => JSON.stringify(other) === text) ? known : [...known, shape];
    this.#uses.set(key, { entity, at: place, shapes });
  }

  /** Filters that some alternatives have and others have not, in the order of the run: as many as are conditional. */
  #conditional(alternatives: readonly Alternative[]): readonly Filter[] {
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
    const found = [...counts.values()].flatMap(({ most, least, filters }) => {
      return this.#inOrder([...filters.values()]).slice(least, most);
    });
    return this.#inOrder(found);
  }

  #inOrder(filters: readonly Filter[]): Filter[] {
    return filters.toSorted((a, b) => (this.#met.get(a.at.node) ?? 0) - (this.#met.get(b.at.node) ?? 0));
  }

  found(): QueriesInModule {
    return {
      begun: this.#begun,
      visited: this.#visited,
      entities: this.#entities,
      unknown: this.#unknown,
      constantReads: [...this.#constantReads.values()],
      uses: [...this.#uses.values()],
      fields: [...this.#fields.values()],
      faults: [...this.#faults.values()],
    };
  }
}

function span({ module, node }: SourceNode): QueryUse["at"] {
  return spanOf(module, node);
}

/** Orders by a field that is compared by equality change nothing. */
function shapeOf({ filters, orders }: Alternative): QueryShape {
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

function faultOf({ filters, orders }: Alternative, shape: QueryShape): QueryFault | undefined {
  const [first, ...others] = filters.filter(({ operator }) => ranges.has(operator));
  if (!first) return undefined;
  const about = { range: first.field, first: span(first.at) };
  const second = others.find(({ field }) => field !== first.field);
  if (second) return { kind: "ranges", at: span(second.at), field: second.field, ...about };
  const sorted = orders.find(({ field }) => !shape.equal.includes(field));
  if (!sorted || sorted.field === first.field) return undefined;
  return { kind: "order", at: span(sorted.at), field: sorted.field, ...about };
}
