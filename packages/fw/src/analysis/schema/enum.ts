import type { ESTree } from "rolldown/utils";
import { enumName } from "../resolution/reference-resolver.ts";

/** Maps the members of an enum to their values; undefined if a value is computed or the enum is empty. */
export function enumMembers(declaration: ESTree.TSEnumDeclaration): ReadonlyMap<string, string | number> | undefined {
  const members = new Map<string, string | number>();
  let next: number | undefined = 0;
  for (const member of declaration.body.members) {
    const name = enumName(member);
    const value: string | number | undefined = member.initializer ? memberValue(member.initializer, members) : next;
    if (name === undefined || value === undefined) return undefined;
    members.set(name, value);
    next = typeof value === "number" ? value + 1 : undefined;
  }
  return members.size > 0 ? members : undefined;
}

function memberValue(
  node: ESTree.Expression,
  members: ReadonlyMap<string, string | number>,
): string | number | undefined {
  if (node.type === "Literal")
    return typeof node.value === "string" || typeof node.value === "number" ? node.value : undefined;
  if (node.type === "Identifier") return members.get(node.name);
  if (node.type !== "UnaryExpression" || node.operator !== "-") return undefined;
  const value = memberValue(node.argument, members);
  return typeof value === "number" ? -value : undefined;
}
