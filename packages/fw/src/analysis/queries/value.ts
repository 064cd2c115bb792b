import { distinct } from "../../lib/grouped.ts";
import { declarationKey } from "../../model/declarations.ts";
import type { ESTree } from "rolldown/utils";
import type { FunctionNode } from "../source/expression.ts";
import type { FieldOrder } from "../../model/entity.ts";
import type { DeclarationKey } from "../../model/declaration-ref.ts";
import type { SourceNode, SourceModule } from "../source/module.ts";

/**
 * A value that matters for queries: an entity, a query under construction, or a function. Undefined for other values.
 */
export type Value = QueryValue | EntityValue | FunctionValue | undefined;

/** An unknown value. Joined with an entity, it may be any entity. */
export interface UnknownValue {
  readonly kind: "unknown";
}

export const unknown: UnknownValue = { kind: "unknown" };

export interface EntityValue {
  readonly kind: "entity";
  /** The possible entities, without duplicates. */
  readonly entities: readonly DeclarationKey[];
  /** True if it may also be an unknown value. */
  readonly open?: boolean;
}

export interface QueryValue {
  readonly kind: "query";
  /** The possible forms of the query, without duplicates. */
  readonly alternatives: readonly QueryAlternative[];
}

/** One possible form of a query. */
export interface QueryAlternative {
  readonly entity: DeclarationKey;
  readonly begins: SourceNode;
  readonly filters: readonly Filter[];
  readonly orders: readonly Order[];
  /** The maximum number of conditional filters. */
  readonly conditions: number;
  /** False if a part is unknown; a fault has been reported. */
  readonly isComplete: boolean;
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
  /** The scope around it; undefined at the top level. */
  readonly scope: VariableScope | undefined;
  /** The `this` of an arrow function, if it is a tracked instance. */
  readonly self?: Instance | undefined;
}

export interface Instance {
  readonly fields: Map<string, Value | UnknownValue>;
  /** The fields that only the constructor assigns. */
  readonly constant: Set<string>;
  /** The `extends` expression of the class whose code runs. */
  readonly superClass: ESTree.Node | undefined;
}

/** Names that a function or block declares. */
export interface VariableScope {
  readonly variables: Map<string, Variable>;
  readonly parent: VariableScope | undefined;
}

export interface Variable {
  init: ESTree.Node | undefined;
  /** True for a parameter with an inline object type: only TypeScript can tell whether it is an entity. */
  isPlain?: boolean;
  /** True once an inner function has used the variable: that function would see later changes. */
  captured: boolean;
  /** The frame that declares it. */
  readonly owner: object;
}

/** The values of variables at one point of execution. */
export type State = Map<Variable, Value | UnknownValue>;

export function find(scope: VariableScope | undefined, name: string): Variable | undefined {
  for (let at = scope; at; at = at.parent) {
    const variable = at.variables.get(name);
    if (variable) return variable;
  }
  return undefined;
}

/** The maximum number of alternatives: enough for a query with eight conditional filters and four orders. */
export const mostAlternatives = 1024;

/**
 * Joins two values: two queries or two entities become one that may be either. Otherwise returns the query, or else the
 * first value that matters for queries.
 */
export function join(one: Value, other: Value): Value {
  if (one?.kind === "entity" && other?.kind === "entity") {
    const open = (one.open ?? false) || (other.open ?? false);
    return { kind: "entity", entities: unionOfEntities(one, other), ...(open ? { open } : {}) };
  }
  if (one?.kind !== "query") return other?.kind === "query" ? other : one === other ? one : (one ?? other);
  if (other?.kind !== "query") return one;
  const all = distinct([...one.alternatives, ...other.alternatives], exactKey);
  return { kind: "query", alternatives: all.slice(0, mostAlternatives + 1) };
}

function unionOfEntities(one: EntityValue, other: EntityValue): readonly DeclarationKey[] {
  return distinct([...one.entities, ...other.entities], declarationKey);
}

export function joinStates(one: State, other: State): State {
  const joined = new Map(one);
  for (const [variable, value] of other) joined.set(variable, joinStateValues(one.get(variable), value));
  return joined;
}

type StateValue = Value | UnknownValue;

export function joinStateValues(one: StateValue, other: StateValue): StateValue {
  if (one?.kind === "unknown") return other?.kind === "unknown" || other === undefined ? one : withUnknown(other);
  return other?.kind === "unknown" ? joinStateValues(other, one) : join(one, other);
}

function withUnknown(value: Value): Value {
  return value?.kind === "entity" ? { ...value, open: true } : value;
}

/** Joins the states before and after an iteration of a loop. Repeated filters add no alternative. */
export function settledLoop(before: State, after: State): State {
  const settled = new Map(before);
  for (const [variable, value] of before) {
    const joinedValue = joinStateValues(value, after.get(variable));
    if (joinedValue?.kind === "query")
      settled.set(variable, {
        kind: "query",
        alternatives: distinct(joinedValue.alternatives, looseKey).slice(0, mostAlternatives + 1),
      });
    else settled.set(variable, joinedValue);
  }
  return settled;
}

export function sizeOf(state: State): number {
  let size = 0;
  for (const value of state.values()) size += value?.kind === "query" ? value.alternatives.length : 0;
  return size;
}

function exactKey(one: QueryAlternative): string {
  return keyOf(one, filterKeys(one));
}

function looseKey(one: QueryAlternative): string {
  return keyOf(one, [...new Set(filterKeys(one))]);
}

export function filterKey({ field, operator }: Filter): string {
  return `${operator} ${field}`;
}

function filterKeys({ filters }: QueryAlternative): string[] {
  return filters.map(filterKey).toSorted();
}

function keyOf(
  { entity, orders, conditions, isComplete: whole }: QueryAlternative,
  filters: readonly string[],
): string {
  return JSON.stringify([
    entity.module,
    entity.variable,
    filters,
    orders.map(({ field, direction }) => [field, direction]),
    conditions,
    whole,
  ]);
}
