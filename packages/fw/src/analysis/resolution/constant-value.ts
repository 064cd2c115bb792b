import type { ESTree } from "rolldown/utils";
import { quote } from "../source/expression.ts";
import type { SourceNode, SourceModule } from "../source/module.ts";
import type { Scalar } from "./arithmetic.ts";

/** A value that follows from the source alone. */
export type ConstantValue = Scalar | readonly ConstantValue[] | { readonly [key: string]: ConstantValue };

export type Constant = { readonly ok: true; readonly value: ConstantValue } | NotConstant;

export interface NotConstant {
  readonly ok: false;
  /** The part of the expression that is not constant. */
  readonly at: ESTree.Node;
  /** The reason as a phrase to put after a colon: "`prefix` is a variable that can change; declare it with const". */
  readonly why: string;
  /** The code that causes it, if not `at`. */
  readonly cause?: SourceNode;
}

export function fail(at: ESTree.Node, why: string): NotConstant {
  return { ok: false, at, why };
}

/** Rejects a constant that is a list or an object. */
export function scalarOf(
  module: SourceModule,
  node: ESTree.Node,
  constant: Constant,
): { readonly ok: true; readonly value: Scalar } | NotConstant {
  if (!constant.ok) return constant;
  const { value } = constant;
  if (typeof value === "object" && value !== null) return fail(node, `${quote(module, node)} is not a plain value`);
  return { ok: true, value };
}
