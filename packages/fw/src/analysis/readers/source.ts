import type { ESTree } from "rolldown/utils";
import { parseDuration } from "../../lib/duration.ts";
import type { Span } from "../../model/diagnostic.ts";
import { constantOf } from "../resolution/constant.ts";
import type { Constant } from "../resolution/constant-value.ts";
import { unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf, type Extent } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import type { Located } from "./declaration-syntax.ts";

/** The module being read, with its application. */
export interface Source {
  readonly project: Project;
  readonly module: SourceModule;
}

export interface CallSource extends Source {
  readonly call: ESTree.CallExpression;
}

export function spanIn({ module }: Source, extent: Extent): Span {
  return spanOf(module, extent);
}

/** Returns the location of an argument, or of the callee if the argument is missing. */
export function argumentPlace(source: CallSource, index: number): Span {
  return spanIn(source, source.call.arguments[index] ?? source.call.callee);
}

/**
 * Reads a constant of one type. `why` is the reason if the node is not constant; `actual` is a value of another type.
 */
export function readConstant<T>(source: Source, node: ESTree.Node, is: (value: unknown) => value is T): Located<T> {
  const at = spanIn(source, node);
  const constant = constantOf(source.project, source.module, node);
  if (!constant.ok) return { at, value: undefined, ...reasonOf(constant) };
  return is(constant.value) ? { at, value: constant.value } : { at, value: undefined, actual: constant.value };
}

/** Returns the reason why a node is not constant, with the location of the cause. */
function reasonOf(constant: Extract<Constant, { ok: false }>): Pick<Located<never>, "why" | "cause"> {
  const { why, cause } = constant;
  return cause ? { why, cause: spanOf(cause.module, cause.node) } : { why };
}

/** Reads an argument that must be a constant string. */
export function readText(source: CallSource, index: number): Located<string> {
  const argument = source.call.arguments[index];
  if (!argument || argument.type === "SpreadElement") return { at: argumentPlace(source, index), value: undefined };
  return readConstant(source, argument, isText);
}

export function isAnything(value: unknown): value is unknown {
  return value !== undefined;
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

export function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

/** True for a duration between two numbers of milliseconds. */
export function isDurationBetween(value: unknown, shortest: number, longest: number): value is string {
  const ms = isText(value) ? parseDuration(value) : undefined;
  return ms !== undefined && ms >= shortest && ms <= longest;
}

/** True for `undefined`, which leaves a setting unset. */
export function isUndefined(node: ESTree.Node): boolean {
  const inner = unwrap(node);
  return inner.type === "Identifier" && inner.name === "undefined";
}

export function numberIn(reading: Located<unknown> | undefined): number | undefined {
  return typeof reading?.value === "number" ? reading.value : undefined;
}

export function millisecondsIn(reading: Located<unknown> | undefined): number | undefined {
  return typeof reading?.value === "string" ? parseDuration(reading.value) : undefined;
}
