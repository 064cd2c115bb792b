import { expect, test } from "vitest";
import { API, Auth, Bucket, Entity, Feed, Job, Limit, Queue, Secret, Topic, type ID } from "../declare/index.ts";
import { operations } from "./resources.ts";
import type { Use } from "./uses.ts";

interface Order {
  readonly id: ID;
}

/** A declaration of each kind that has operations, as in an application. */
const operationObjects: Readonly<Record<Use["kind"], object>> = {
  entity: Entity<Order>("orders"),
  bucket: Bucket("photos"),
  queue: Queue<string>("emails"),
  topic: Topic<string>("placed"),
  job: Job<string>("rebuild"),
  limit: Limit("sign-up", "10/h"),
  feed: Feed<string>("tickets"),
  secret: Secret("MAIL_KEY"),
  users: flattened(Auth({ social: true, tokens: true })),
  endpoint: API("GET /", () => undefined),
};

/** Merges the methods for accounts with the token methods, named `tokens.<name>`. */
function flattened({ users, tokens }: { readonly users: object; readonly tokens: object }): object {
  const ofTokens = Object.entries(tokens).map(([name, method]) => [`tokens.${name}`, method as unknown] as const);
  return { ...users, ...Object.fromEntries(ofTokens) };
}

test.each(Object.entries(operationObjects))(
  "every method of %s is an operation, and every operation a method",
  (kind, value) => {
    const methods = Object.entries(value).flatMap(([name, member]) => (typeof member === "function" ? [name] : []));
    const own = methods.filter((name) => name !== "handler");
    expect(operations[kind as Use["kind"]]).toEqual(own.toSorted());
  },
);
