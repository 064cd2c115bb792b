import { distinct } from "../../lib/grouped.ts";
import { declarationKey } from "../../model/declarations.ts";
import type { ESTree } from "rolldown/utils";
import type { FunctionNode } from "../source/expression.ts";
import type { FieldOrder } from "../../model/entity.ts";
import type { DeclarationKey } from "../../model/declaration-ref.ts";
import type { SourceNode, SourceModule } from "../source/module.ts";

/** What the analysis of queries knows about a value: an entity, a query that is being put together, or a function. */
export type Value = QueryValue | EntityValue | FunctionValue | undefined;

/** What a variable holds of which nothing is known: where another way leads to an entity, it may be any. */
export interface UnknownValue {
  readonly kind: "unknown";
}

export const unknown: UnknownValue = { kind: "unknown" };

export interface EntityValue {
  readonly kind: "entity";
  /** Those that it may be, each once. */
  readonly entities: readonly DeclarationKey[];
  /** True where it may be something else, too, of which nothing is known. */
  readonly open?: boolean;
}

export interface QueryValue {
  readonly kind: "query";
  /** The ways in which it may have been put together, each once. */
  readonly alternatives: readonly Alternative[];
}

/** One way in which a query may have been put together. */
export interface Alternative {
  readonly entity: DeclarationKey;
  /** The call of `query()`. */
  readonly begins: SourceNode;
  readonly filters: readonly Filter[];
  readonly orders: readonly Order[];
  /** False where a part of it is not known; a fault has told which. */
  readonly whole: boolean;
}

export interface Filter {
  readonly field: string;
  readonly operator: string;
  readonly at: SourceNode;
}

export interface Order extends FieldOrder {
  readonly at: SourceNode;
}

export interface FunctionValue {
  readonly kind: "function";
  readonly module: SourceModule;
  readonly node: FunctionNode;
  /** The names around it; none at the top level. */
  readonly scope: Scope | undefined;
}

/** Names that a function or a block declares. */
export interface Scope {
  readonly variables: Map<string, Variable>;
  readonly parent: Scope | undefined;
}

export interface Variable {
  /** The value that a const is declared with. */
  init: ESTree.Node | undefined;
  /** True for a parameter whose type is written out where it is declared: no entity has such a type. */
  isPlain?: boolean;
  /** True once a function inside has used it: a later change would reach that function. */
  captured: boolean;
  /** The frame that it belongs to. */
  readonly owner: object;
}

/** What variables hold at one point of a run. */
export type State = Map<Variable, Value | UnknownValue>;

export function find(scope: Scope | undefined, name: string): Variable | undefined {
  for (let at = scope; at; at = at.parent) {
    const found = at.variables.get(name);
    if (found) return found;
  }
  return undefined;
}

/** More ways than a query of four conditional filters and two orders of two directions has. */
export const mostAlternatives = 64;

/** Both queries, or both entities, as one that may be either. */
export function join(one: Value, other: Value): Value {
  if (one?.kind === "entity" && other?.kind === "entity") {
    const open = (one.open ?? false) || (other.open ?? false);
    return { kind: "entity", entities: either(one, other), ...(open ? { open } : {}) };
  }
  if (one?.kind !== "query") return other?.kind === "query" ? other : one === other ? one : (one ?? other);
  if (other?.kind !== "query") return one;
  const all = distinct([...one.alternatives, ...other.alternatives], exactKey);
  return { kind: "query", alternatives: all.slice(0, mostAlternatives + 1) };
}

function either(one: EntityValue, other: EntityValue): readonly DeclarationKey[] {
  return distinct([...one.entities, ...other.entities], declarationKey);
}

export function joinStates(one: State, other: State): State {
  const joined = new Map(one);
  for (const [variable, value] of other) joined.set(variable, joinHeld(one.get(variable), value));
  return joined;
}

type Held = Value | UnknownValue;

function joinHeld(one: Held, other: Held): Held {
  if (one?.kind === "unknown") return other?.kind === "unknown" || other === undefined ? one : opened(other);
  return other?.kind === "unknown" ? joinHeld(other, one) : join(one, other);
}

function opened(value: Value): Value {
  return value?.kind === "entity" ? { ...value, open: true } : value;
}

/** Alternatives of which a repeated filter makes none that is new: what a loop comes to. */
export function settledLoop(before: State, after: State): State {
  const settled = new Map(before);
  for (const [variable, value] of before) {
    const joined = joinHeld(value, after.get(variable));
    if (joined?.kind === "query")
      settled.set(variable, {
        kind: "query",
        alternatives: distinct(joined.alternatives, looseKey).slice(0, mostAlternatives + 1),
      });
    else settled.set(variable, joined);
  }
  return settled;
}

export function sizeOf(state: State): number {
  let size = 0;
  for (const value of state.values()) size += value?.kind === "query" ? value.alternatives.length : 0;
  return size;
}

function exactKey(one: Alternative): string {
  return keyOf(one, filterKeys(one));
}

function looseKey(one: Alternative): string {
  return keyOf(one, [...new Set(filterKeys(one))]);
}

export function filterKey({ field, operator }: Filter): string {
  return `${operator} ${field}`;
}

function filterKeys({ filters }: Alternative): string[] {
  return filters.map(filterKey).toSorted();
}

function keyOf({ entity, orders, whole }: Alternative, filters: readonly string[]): string {
  return JSON.stringify([
    entity.module,
    entity.variable,
    filters,
    orders.map(({ field, direction }) => [field, direction]),
    whole,
  ]);
}
