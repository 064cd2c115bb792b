import { operations } from "../../model/operations.ts";
import type { Resource } from "../../model/resources.ts";
import type { Use } from "../../model/uses.ts";

/** The operations that a reference may come to: all of them where what is named is handed on, or is read by a computed key. */
export function operationsOf({ kind }: Resource, keys: readonly string[]): readonly string[] {
  if (kind === "users") {
    const [property, operation] = keys;
    if (property === undefined) return operations.users;
    return operations.users.filter((each) => isOf(each, property, operation));
  }
  return named(kind, keys);
}

/** Of accounts the bare method is named, of tokens the path to it. */
function isOf(each: string, property: string, operation: string | undefined): boolean {
  const [part, name] = each.includes(".") ? each.split(".") : ["users", each];
  return part === property && (operation === undefined || operation === name);
}

function named(kind: Use["kind"], [key]: readonly string[]): readonly string[] {
  if (key === undefined) return operations[kind];
  return operations[kind].includes(key) ? [key] : [];
}
