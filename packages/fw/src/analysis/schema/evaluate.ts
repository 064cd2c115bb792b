import { isBindingSource } from "../../model/bindings.ts";
import { constraintNamed, constraintOf } from "../../model/constraints.ts";
import { argumentsIn } from "./arguments.ts";
import { asConstraint } from "./marker.ts";
import type { ESTree } from "rolldown/utils";
import type { CheckedType } from "../checker/checker.ts";
import { fromChecked } from "./checked-type.ts";
import { importType } from "./import.ts";
import { intersect } from "./intersect.ts";
import { indexedType, keysOf } from "./keys.ts";
import { evaluateMapped } from "./mapped.ts";
import { isStorageMark } from "./marks.ts";
import { objectFromMembers } from "./object.ts";
import {
  memoized,
  NeedsChecker,
  rangeOf,
  questionKey,
  responseArgument,
  questionOf,
  refusedType,
  askChecker,
} from "./type-reading.ts";
import { evaluateReference } from "./reference.ts";
import { type TypeScope } from "./type-scope.ts";
import { templateType } from "./template.ts";
import { neverType, open, type NamedType, type TupleItem, type Type } from "./type.ts";
import { enumNames, literalValue, typeOfValue } from "./value.ts";

const keywords: Readonly<Partial<Record<ESTree.TSType["type"], Type>>> = {
  TSStringKeyword: { kind: "primitive", name: "string" },
  TSNumberKeyword: { kind: "primitive", name: "number" },
  TSBooleanKeyword: { kind: "primitive", name: "boolean" },
  TSBigIntKeyword: { kind: "primitive", name: "bigint" },
  TSNullKeyword: { kind: "primitive", name: "null" },
  TSUndefinedKeyword: { kind: "primitive", name: "undefined" },
  TSVoidKeyword: { kind: "primitive", name: "void" },
  TSNeverKeyword: neverType,
  TSAnyKeyword: refusedType("any", "any"),
  TSUnknownKeyword: refusedType("unknown", "unknown"),
  TSObjectKeyword: refusedType("object", "object"),
  TSSymbolKeyword: refusedType("symbol", "symbol"),
  TSFunctionType: refusedType("function", "a function"),
  TSConstructorType: refusedType("function", "a constructor"),
};

/** Evaluates a type node from its syntax or from the checker's answer. Throws NeedsChecker instead of guessing. */
export function evaluate(node: ESTree.TSType, scope: TypeScope): Type {
  scope.reading.modules.add(scope.module.path);
  const answer = checkedAnswer(node, scope);
  if (answer) return fromChecked(answer, rangeOf(scope, node), scope.reading);
  // TypeScript prints an anonymous type inside itself as `any`.
  if (node.type === "TSAnyKeyword" && scope.range && scope.enclosingQuestion) throw askChecker(scope, node);
  const keyword = keywords[node.type];
  return keyword ?? evaluateForm(node, scope);
}

/** Returns the checker's answer about a node, if any. Fast if the checker has answered nothing, the common case. */
function checkedAnswer(node: ESTree.TSType, scope: TypeScope): CheckedType | undefined {
  if (scope.enclosingQuestion || scope.reading.answers.size === 0) return undefined;
  return scope.reading.answers.get(questionKey(questionOf(scope.module, node)));
}

function evaluateForm(node: ESTree.TSType, scope: TypeScope): Type {
  switch (node.type) {
    case "TSParenthesizedType":
      return evaluate(node.typeAnnotation, scope);
    case "TSArrayType":
      return { kind: "array", items: evaluate(node.elementType, scope) };
    case "TSTupleType":
      return tupleType(node, scope);
    case "TSLiteralType":
      return literalType(node.literal);
    case "TSTemplateLiteralType":
      return templateType(node, scope);
    case "TSUnionType":
      return { kind: "union", members: node.types.map((each) => evaluate(each, scope)) };
    case "TSIntersectionType":
      return identify(intersection(node, scope), node, scope);
    case "TSTypeLiteral":
      return typeLiteral(node, scope);
    case "TSMappedType":
      return identify(evaluateMapped(node, scope), node, scope);
    case "TSIndexedAccessType":
      return indexedType(node, scope);
    case "TSTypeOperator":
      return operatorType(node, scope);
    case "TSTypeReference":
      return identify(evaluateReference(node, scope), node, scope);
    case "TSImportType":
      return importType(node, scope);
    case "TSTypeQuery":
      return typeOfValue(node, scope);
    default:
      throw askChecker(scope, node);
  }
}

type GiveUp = () => NeedsChecker;

function tupleType(node: ESTree.TSTupleType, scope: TypeScope): Type {
  const giveUp: GiveUp = () => askChecker(scope, node);
  return { kind: "tuple", items: node.elementTypes.map((each) => tupleItem(each, scope, giveUp)) };
}

/** Evaluates an anonymous object type under an id, so that recursive references such as `P["where"]` terminate. */
function typeLiteral(node: ESTree.TSTypeLiteral, scope: TypeScope): Type {
  const make = (): Type => objectFromMembers(node.members, scope, () => askChecker(scope, node));
  if (scope.range || node.members.length === 0) return make();
  const isClosed = scope.parameters.size === 0 && scope.enclosingQuestion === undefined;
  const cached = isClosed ? scope.reading.namedTypes.get(node) : undefined;
  if (cached) return cached;
  const id = nodeId(node, scope);
  const range = { module: scope.module, start: node.start, end: node.end };
  const target = memoized(scope.reading, make);
  const literal: NamedType = { kind: "named", id, name: "", exported: true, range, target };
  if (isClosed) scope.reading.namedTypes.set(node, literal);
  return literal;
}

/**
 * Gives a new object type an id derived from its node, like `typeLiteral`. Through an indexed access, a type can recur
 * at any node.
 */
function identify(type: Type, node: ESTree.TSType, scope: TypeScope): Type {
  if (scope.range) return type;
  const name = (part: Type, suffix: string): Type => {
    if (part.kind !== "object") return part;
    const range = { module: scope.module, start: node.start, end: node.end };
    const id = `${nodeId(node, scope)}${suffix}`;
    return { kind: "named", id, name: "", exported: true, range, target: () => part };
  };
  if (type.kind !== "union") return name(type, "");
  return { kind: "union", members: type.members.map((each, index) => name(each, `.${index}`)) };
}

function nodeId(node: ESTree.Span, scope: TypeScope): string {
  return `${scope.module.path}#~${node.start}${argumentsIn(node, scope)}`;
}

/** Evaluates an intersection. In printed types, fw's types appear as their marks: `number & { [int]?: never }`. */
function intersection(node: ESTree.TSIntersectionType, scope: TypeScope): Type {
  const giveUp: GiveUp = () => askChecker(scope, node);
  const marks = scope.range ? node.types.map(printedMark) : [];
  const parts = node.types
    .filter((_, index) => marks[index] === undefined)
    .map((each) => (scope.range ? printedConstraint(each) : undefined) ?? intersectionPart(each, scope, giveUp));
  if (marks.includes("int")) return { kind: "known", name: "Int" };
  if (marks.includes("int64")) return { kind: "known", name: "Int64" };
  // A request binding matters in a request, but not in a response.
  const isBound = marks.some((mark) => mark !== undefined && !isStorageMark(mark));
  if (isBound && scope.enclosingQuestion?.argument !== responseArgument) throw giveUp();
  return intersect(parts, giveUp);
}

/**
 * Evaluates a part of an intersection. Asks for the whole intersection if only the checker can read the part, such as a
 * library's brand.
 */
function intersectionPart(node: ESTree.TSType, scope: TypeScope, giveUp: GiveUp): Type {
  try {
    const type = evaluate(node, scope);
    open(type);
    return type;
  } catch (error) {
    throw error instanceof NeedsChecker ? giveUp() : error;
  }
}

/** Parses a printed constraint, `{ [maxLength]?: 200 }`; undefined for other types. */
function printedConstraint(node: ESTree.TSType): Type | undefined {
  const member = printedKey(node);
  const name = member && constraintNamed(member.name);
  if (!member || !name || member.name === name) return undefined;
  const value = member.type?.type === "TSLiteralType" ? literalValue(member.type.literal) : undefined;
  return asConstraint(constraintOf(name, value?.kind === "literal" ? value.value : undefined));
}

function printedKey(
  node: ESTree.TSType,
): { readonly name: string; readonly type: ESTree.TSType | undefined } | undefined {
  const [member, ...more] = node.type === "TSTypeLiteral" ? node.members : [];
  if (member?.type !== "TSPropertySignature" || !member.computed || more.length > 0) return undefined;
  const name = member.key.type === "Identifier" ? member.key.name : "";
  return { name, type: member.typeAnnotation?.typeAnnotation };
}

function printedMark(node: ESTree.TSType): string | undefined {
  const name = printedKey(node)?.name ?? "";
  return name === "int" || name === "int64" || isStorageMark(name) || isBindingSource(name) ? name : undefined;
}

function tupleItem(node: ESTree.TSTupleElement, scope: TypeScope, giveUp: GiveUp): TupleItem {
  if (node.type === "TSRestType") return restItem(node, scope, giveUp);
  if (node.type === "TSOptionalType")
    return { type: evaluate(node.typeAnnotation, scope), optional: true, rest: false };
  if (node.type === "TSNamedTupleMember") {
    return { ...tupleItem(node.elementType, scope, giveUp), optional: node.optional };
  }
  return { type: evaluate(node, scope), optional: false, rest: false };
}

function restItem(node: ESTree.TSRestType, scope: TypeScope, giveUp: GiveUp): TupleItem {
  const inner =
    node.typeAnnotation.type === "TSNamedTupleMember" ? node.typeAnnotation.elementType : node.typeAnnotation;
  if (inner.type === "TSRestType" || inner.type === "TSOptionalType") throw giveUp();
  const list = open(evaluate(inner, scope));
  if (list.kind !== "array") throw giveUp();
  return { type: list.items, optional: false, rest: true };
}

function literalType(literal: ESTree.TSLiteral): Type {
  const isNull = literal.type === "Literal" && literal.value === null && !("bigint" in literal);
  return (
    literalValue(literal) ?? (isNull ? { kind: "primitive", name: "null" } : refusedType("bigint", "a bigint literal"))
  );
}

function operatorType(node: ESTree.TSTypeOperator, scope: TypeScope): Type {
  if (node.operator === "unique") return refusedType("symbol", "a unique symbol");
  const names = node.operator === "keyof" ? enumNames(node.typeAnnotation, scope) : undefined;
  if (names) return names;
  const inner = evaluate(node.typeAnnotation, scope);
  return node.operator === "readonly" ? inner : keysOf(inner, () => askChecker(scope, node));
}
