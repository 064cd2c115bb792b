import { operations, type Resource } from "../../model/resources.ts";

/**
 * Lists the operations that a reference may refer to: all of them if the resource is passed on or read by a computed
 * key.
 */
export function operationsOf({ kind }: Resource, [key, method]: readonly string[]): readonly string[] {
  const all = operations[kind];
  if (key === undefined) return all;
  return kind === "users"
    ? all.filter((operation) => isOf(operation, key, method))
    : all.filter((name) => name === key);
}

/** Operations of users are bare method names; those of tokens include the path. */
function isOf(operation: string, property: string, method: string | undefined): boolean {
  const [owner, name] = operation.includes(".") ? operation.split(".") : ["users", operation];
  return owner === property && (method === undefined || method === name);
}
