import type { ESTree } from "rolldown/utils";
import type { TextPattern } from "../../model/schema.ts";
import { refusedType, askChecker } from "./type-reading.ts";
import type { TypeScope } from "./type-scope.ts";
import { membersOf, open, unionOf, type Type } from "./type.ts";

/** The maximum number of alternatives of a template. */
const mostTexts = 1_000;

/** Evaluates a template literal type: a union of strings if there are finitely many, otherwise patterns. */
export function templateType(node: ESTree.TSTemplateLiteralType, scope: TypeScope): Type {
  const texts = node.quasis.map(({ value }) => value.cooked ?? "");
  const type = patternOf(
    texts,
    node.types.map((inner) => scope.reading.evaluate(inner, scope)),
  );
  if (type.kind === "refused" && type.reason === "unresolved") throw askChecker(scope, node);
  return type;
}

/** Builds the type of strings that consist of `texts` with the types of `holes` between them. */
export function patternOf(texts: readonly string[], holes: readonly Type[]): Type {
  let patterns: readonly TextPattern[] = [{ texts: [texts[0] ?? ""], holes: [] }];
  for (const [index, hole] of holes.entries()) {
    const members = membersOf(hole).flatMap(piecesOf);
    if (members.includes(undefined)) return refusedType("unresolved", "a template literal type");
    const after: TextPattern = { texts: [texts[index + 1] ?? ""], holes: [] };
    if (patterns.length * members.length > mostTexts)
      return refusedType("size", "a template literal type with too many alternatives");
    patterns = patterns.flatMap((each) =>
      members.map((piece) => concatPatterns(concatPatterns(each, piece ?? after), after)),
    );
  }
  return unionOf(patterns.map(typeOf));
}

function typeOf(pattern: TextPattern): Type {
  const [only = "", ...more] = pattern.texts;
  if (more.length === 0) return { kind: "literal", value: only };
  const isText = pattern.texts.every((text) => text === "") && pattern.holes.join(",") === "string";
  return isText ? { kind: "primitive", name: "string" } : { kind: "pattern", pattern };
}

function concatPatterns(a: TextPattern, b: TextPattern): TextPattern {
  const [first = "", ...rest] = b.texts;
  const texts = [...a.texts.slice(0, -1), (a.texts.at(-1) ?? "") + first, ...rest];
  return { texts, holes: [...a.holes, ...b.holes] };
}

/** Returns the strings and patterns that a type can contribute; an element is undefined if it is unknown. */
function piecesOf(type: Type): readonly (TextPattern | undefined)[] {
  const unwrapped = open(type);
  if (unwrapped.kind === "literal") return [{ texts: [String(unwrapped.value)], holes: [] }];
  if (unwrapped.kind === "pattern") return [unwrapped.pattern];
  if (unwrapped.kind === "known" && unwrapped.name === "Int") return [{ texts: ["", ""], holes: ["number"] }];
  if (unwrapped.kind === "known" && unwrapped.name === "Int64") return [{ texts: ["", ""], holes: ["bigint"] }];
  if (unwrapped.kind !== "primitive") return [undefined];
  switch (unwrapped.name) {
    case "boolean":
      return [
        { texts: ["false"], holes: [] },
        { texts: ["true"], holes: [] },
      ];
    case "null":
    case "undefined":
      return [{ texts: [unwrapped.name], holes: [] }];
    case "string":
    case "number":
    case "bigint":
      return [{ texts: ["", ""], holes: [unwrapped.name] }];
    default:
      return [undefined];
  }
}
