import type { Use } from "./uses.ts";

/** What can be done with each kind of resource, as its methods are named. */
export const operations: Readonly<Record<Use["kind"], readonly string[]>> = {
  entity: ["create", "delete", "find", "get", "put", "query", "update"],
  bucket: ["delete", "exists", "get", "list", "put", "signedGet", "signedPut"],
  queue: ["send"],
  topic: ["publish"],
  job: ["start"],
  secret: ["value"],
  users: ["byEmail", "create", "delete", "disable", "enable", "get", "grant", "list", "revoke"],
  endpoint: ["call"],
};
