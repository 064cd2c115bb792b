import type { ESTree } from "rolldown/utils";
import { quote } from "../source/expression.ts";
import type { Place, SourceModule } from "../source/module.ts";
import type { Scalar } from "./arithmetic.ts";

/** A value that the source alone determines. */
export type ConstantValue = Scalar | readonly ConstantValue[] | { readonly [key: string]: ConstantValue };

export type Constant = { readonly ok: true; readonly value: ConstantValue } | NotConstant;

export interface NotConstant {
  readonly ok: false;
  /** The part of the node asked about that has no constant value. */
  readonly at: ESTree.Node;
  /** Why, a phrase that follows a colon: "`prefix` is a variable that can change; declare it with const". */
  readonly why: string;
  /** What it comes down to, when that stands elsewhere. */
  readonly cause?: Place;
}

export function fail(at: ESTree.Node, why: string): NotConstant {
  return { ok: false, at, why };
}

/** The constant where it is neither a list nor an object. */
export function scalarOf(
  module: SourceModule,
  node: ESTree.Node,
  constant: Constant,
): { readonly ok: true; readonly value: Scalar } | NotConstant {
  if (!constant.ok) return constant;
  const { value } = constant;
  if (typeof value === "object" && value !== null) return fail(node, `${quote(module, node)} is no plain value`);
  return { ok: true, value };
}
