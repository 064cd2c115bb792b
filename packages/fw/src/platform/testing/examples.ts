import type { operations, PortName, transactionSteps } from "../operations.ts";
import { streamOf } from "./conformance/objects.ts";
import { item } from "./conformance/fixture.ts";

type ExampleArgs<Rows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends { readonly accesses: (...args: infer All) => unknown }
    ? () => All
    : never;
};

const query = { kind: "item", filters: [{ property: "a", op: "==", value: 1 }], orders: [], limit: 1 } as const;
const emails = { kind: "queue", name: "emails" } as const;
const fence = { name: "account x", token: 1 };

export const examples: { readonly [Port in PortName]: ExampleArgs<(typeof operations)[Port]> } = {
  entities: {
    get: () => [item("x")],
    getMany: () => [[item("x")]],
    insert: () => [item("x"), {}, { expires: new Date(1e15) }],
    upsert: () => [item("x"), {}, { expires: new Date(1e15) }],
    update: () => [item("x"), {}, { version: "1" }],
    delete: () => [item("x"), { version: "1" }],
    query: () => [query],
    count: () => [query, 1],
    total: () => [query, "a"],
  },
  leases: {
    acquire: () => ["account x", 1],
    renew: () => [fence, 1],
    release: () => [fence],
  },
  accounts: {
    create: () => [{ email: "a@example.com", name: "", emailVerified: true, claims: { roles: [] }, password: "" }],
    get: () => ["x"],
    byEmail: () => ["a@example.com"],
    list: () => [1, ""],
    setClaims: () => ["x", {}],
    setDisabled: () => ["x", true],
    change: () => ["x", { password: "", emailVerified: true }],
    delete: () => ["x"],
    checkPassword: () => ["a@example.com", ""],
    testUser: () => ["x", ["editor"]],
    verifyToken: () => ["x"],
  },
  objects: {
    open: () => ["photos", "x"],
    find: () => ["photos", "x"],
    put: () => ["photos", "x", streamOf("1"), { contentType: "a/b" }],
    delete: () => ["photos", "x"],
    list: () => ["photos", "", { limit: 1 }],
    sign: () => [{ bucket: "photos", key: "x", method: "GET", expires: new Date(1e15) }],
    openGrant: () => ["x"],
  },
  messages: { send: () => [emails, { body: "1" }] },
};

/** Example arguments for each step of a transaction. */
export const stepExamples: ExampleArgs<typeof transactionSteps> = {
  insert: () => [item("y"), {}],
  upsert: () => [item("y"), {}],
  update: () => [item("y"), {}],
  delete: () => [item("y")],
  send: () => [emails, { body: "1" }],
};
