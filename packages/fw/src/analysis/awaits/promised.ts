import type { DeclarationKind } from "../../model/kinds.ts";

const endpoint = ["call"];

/**
 * The operations that return a promise, by kind of declaration, as member paths. `query.all` is the `all` of a chain
 * that starts with `query()`.
 */
export const promisedOperations: Partial<Record<DeclarationKind, readonly string[]>> = {
  api: endpoint,
  page: endpoint,
  entity: [
    "get",
    "find",
    "getMany",
    "create",
    "put",
    "update",
    "delete",
    "query.all",
    "query.first",
    "query.count",
    "query.countBy",
    "query.sum",
    "query.average",
    "query.page",
  ],
  auth: [
    "users.create",
    "users.get",
    "users.byEmail",
    "users.list.page",
    "users.grant",
    "users.revoke",
    "users.disable",
    "users.enable",
    "users.delete",
    "tokens.create",
    "tokens.list",
    "tokens.revoke",
  ],
  bucket: ["get", "put", "delete", "exists", "signedPut", "signedGet"],
  queue: ["send", "cancel"],
  topic: ["publish"],
  job: ["start", "get", "list", "cancel"],
  limit: ["take"],
  feed: ["publish", "presence"],
  mail: ["render", "send"],
  tenant: ["enter"],
};

export function returnsPromise(kind: DeclarationKind, path: string): boolean {
  return promisedOperations[kind]?.includes(path) ?? false;
}
