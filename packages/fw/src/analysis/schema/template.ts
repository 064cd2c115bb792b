import type { ESTree } from "rolldown/utils";
import type { TextPattern } from "../../model/schema.ts";
import { refused, unsure } from "./reading.ts";
import type { Scope } from "./scope.ts";
import { membersOf, open, unionOf, type Type } from "./type.ts";

/** More texts than a union is read as. */
const mostTexts = 1_000;

/** A template literal type: the union of its texts where they are finitely many, else patterns of text. */
export function templateType(node: ESTree.TSTemplateLiteralType, scope: Scope): Type {
  const texts = node.quasis.map(({ value }) => value.cooked ?? "");
  const type = patternOf(
    texts,
    node.types.map((inner) => scope.reading.evaluate(inner, scope)),
  );
  if (type.kind === "refused" && type.reason === "unresolved") throw unsure(scope, node);
  return type;
}

/** The texts between which these types stand. */
export function patternOf(texts: readonly string[], holes: readonly Type[]): Type {
  let patterns: readonly TextPattern[] = [{ texts: [texts[0] ?? ""], holes: [] }];
  for (const [index, hole] of holes.entries()) {
    const members = membersOf(hole).flatMap(piecesOf);
    if (members.includes(undefined)) return refused("unresolved", "a template literal type");
    const after: TextPattern = { texts: [texts[index + 1] ?? ""], holes: [] };
    if (patterns.length * members.length > mostTexts)
      return refused("size", "a template literal type of too many texts");
    patterns = patterns.flatMap((each) => members.map((piece) => joined(joined(each, piece ?? after), after)));
  }
  return unionOf(patterns.map(typeOf));
}

function typeOf(pattern: TextPattern): Type {
  const [only = "", ...more] = pattern.texts;
  if (more.length === 0) return { kind: "literal", value: only };
  const isText = pattern.texts.every((text) => text === "") && pattern.holes.join(",") === "string";
  return isText ? { kind: "primitive", name: "string" } : { kind: "pattern", pattern };
}

function joined(a: TextPattern, b: TextPattern): TextPattern {
  const [first = "", ...rest] = b.texts;
  const texts = [...a.texts.slice(0, -1), (a.texts.at(-1) ?? "") + first, ...rest];
  return { texts, holes: [...a.holes, ...b.holes] };
}

/** What a type puts into a text; undefined for what only the checker can tell. */
function piecesOf(type: Type): readonly (TextPattern | undefined)[] {
  const opened = open(type);
  if (opened.kind === "literal") return [{ texts: [String(opened.value)], holes: [] }];
  if (opened.kind === "pattern") return [opened.pattern];
  if (opened.kind === "known" && opened.name === "Int") return [{ texts: ["", ""], holes: ["number"] }];
  if (opened.kind === "known" && opened.name === "Int64") return [{ texts: ["", ""], holes: ["bigint"] }];
  if (opened.kind !== "primitive") return [undefined];
  switch (opened.name) {
    case "boolean":
      return [
        { texts: ["false"], holes: [] },
        { texts: ["true"], holes: [] },
      ];
    case "null":
    case "undefined":
      return [{ texts: [opened.name], holes: [] }];
    case "string":
    case "number":
    case "bigint":
      return [{ texts: ["", ""], holes: [opened.name] }];
    default:
      return [undefined];
  }
}
