import { operations, type Resource } from "../../model/resources.ts";

/** The operations that a reference may come to: all of them where what is named is handed on, or is read by a computed key. */
export function operationsOf({ kind }: Resource, [key, method]: readonly string[]): readonly string[] {
  const all = operations[kind];
  if (key === undefined) return all;
  return kind === "users"
    ? all.filter((operation) => isOf(operation, key, method))
    : all.filter((name) => name === key);
}

/** Of accounts the bare method is named, of tokens the path to it. */
function isOf(operation: string, property: string, method: string | undefined): boolean {
  const [owner, name] = operation.includes(".") ? operation.split(".") : ["users", operation];
  return owner === property && (method === undefined || method === name);
}
