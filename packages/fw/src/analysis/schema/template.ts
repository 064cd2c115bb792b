import type { ESTree } from "rolldown/utils";
import { refused, unsure, type Reading } from "./reading.ts";
import type { Scope } from "./scope.ts";
import { membersOf, open, unionOf, type Type } from "./type.ts";

/** More texts than a union is read as. */
const mostTexts = 1_000;

/** A template literal type of finitely many texts is their union. */
export function templateType(reading: Reading, node: ESTree.TSTemplateLiteralType, scope: Scope): Type {
  let texts: readonly string[] = [node.quasis[0]?.value.cooked ?? ""];
  for (const [index, inner] of node.types.entries()) {
    const found = textsOf(reading.evaluate(inner, scope));
    if (found === "unknown") throw unsure(scope, node);
    if (found === "endless") return refused("template", "a template literal type of endlessly many texts");
    const after = node.quasis[index + 1]?.value.cooked ?? "";
    if (texts.length * found.length > mostTexts) return refused("size", "a template literal type of too many texts");
    texts = texts.flatMap((text) => found.map((each) => text + each + after));
  }
  return unionOf(texts.map((value) => ({ kind: "literal", value })));
}

function textsOf(type: Type): readonly string[] | "endless" | "unknown" {
  const texts: string[] = [];
  for (const member of membersOf(type)) {
    const opened = open(member);
    if (opened.kind === "literal") texts.push(String(opened.value));
    else if (opened.kind === "primitive" && opened.name === "boolean") texts.push("false", "true");
    else if (
      opened.kind === "primitive" &&
      (opened.name === "string" || opened.name === "number" || opened.name === "bigint")
    )
      return "endless";
    else return "unknown";
  }
  return texts;
}
