import { isContentType } from "../lib/content-type.ts";
import { list, nothing, number, optional, text, finite, flag, handle } from "./codec.ts";
import * as codecs from "./codecs.ts";
import type { Key, Platform, Transaction } from "./contract.ts";
import { checkDocument } from "./document.ts";
import { PlatformError } from "./errors.ts";
import type { Ask } from "./grants.ts";
import type { Destination } from "./messages.ts";
import { checkObjectKey } from "./object-key.ts";
import { bytes, type AnyOperation, type Call, type Operation, type Operations } from "./operation.ts";

const reads = asked("entity", ({ kind }: Key) => kind, "get", "find", "get", "update");
const place = [text, text] as const;

/** Everything that a platform can be asked for. A transaction is one of its own (`transactionSteps`), a clock everybody's. */
export const operations: {
  readonly [Port in PortName]: Operations<Platform[Port], Extract<"begin" | "getNow", keyof Platform[Port]>>;
} = {
  entities: {
    get: { does: "read", given: [codecs.key], answers: optional(codecs.document), asks: reads },
    getMany: {
      does: "read",
      given: [list(codecs.key)],
      answers: list(optional(codecs.document)),
      asks: (keys) => keys.flatMap(reads),
    },
    insert: {
      does: "write",
      given: [codecs.key, codecs.fields, optional(codecs.writeOptions)],
      answers: text,
      asks: entity("insert", "create"),
      checks: checkDocument,
    },
    upsert: {
      does: "write",
      given: [codecs.key, codecs.fields, optional(codecs.writeOptions)],
      answers: text,
      asks: entity("upsert", "put"),
      checks: checkDocument,
    },
    update: {
      does: "write",
      given: [codecs.key, codecs.fields, optional(codecs.updateOptions)],
      answers: text,
      asks: entity("update", "update"),
      checks: checkDocument,
    },
    delete: {
      does: "write",
      given: [codecs.key, optional(codecs.conditionalOptions)],
      answers: nothing,
      asks: entity("delete", "delete"),
    },
    query: { does: "read", given: [codecs.query], answers: codecs.page, asks: entity("query", "query") },
    count: {
      does: "read",
      given: [codecs.countQuery, optional(number)],
      answers: number,
      asks: entity("count", "query"),
    },
  },
  leases: {
    acquire: {
      does: "write",
      given: [text, finite],
      answers: optional(codecs.heldLease),
      asks: (name) => holds({ name }),
      hands: "lease",
    },
    renew: {
      does: "write",
      given: [codecs.fence, finite],
      answers: codecs.heldLease,
      asks: holds,
      hands: "lease",
    },
    release: { does: "write", given: [codecs.fence], answers: nothing, asks: holds },
  },
  accounts: {
    create: {
      does: "write",
      given: [codecs.accountFields],
      answers: codecs.account,
      asks: users("create", "create"),
      derives: ({ password }) => password !== undefined,
    },
    get: {
      does: "read",
      given: [text],
      answers: optional(codecs.account),
      asks: users("get", "get", "grant", "revoke"),
    },
    byEmail: { does: "read", given: [text], answers: optional(codecs.account), asks: users("byEmail", "byEmail") },
    list: { does: "read", given: [number, text], answers: codecs.accountPage, asks: users("list", "list") },
    setClaims: {
      does: "write",
      given: [text, codecs.claims],
      answers: codecs.account,
      asks: users("setClaims", "grant", "revoke"),
    },
    setDisabled: {
      does: "write",
      given: [text, flag],
      answers: codecs.account,
      asks: users("setDisabled", "disable", "enable", "delete"),
    },
    delete: { does: "write", given: [text], answers: nothing, asks: users("delete", "delete") },
    checkPassword: {
      does: "read",
      given: [text, text],
      answers: optional(codecs.account),
      asks: users("checkPassword", "signIn"),
      derives: () => true,
    },
    testUser: {
      does: "write",
      given: [text, optional<readonly string[]>(list(text))],
      answers: optional(codecs.account),
      asks: users("testUser", "testUser"),
    },
    verifyToken: {
      does: "read",
      given: [text],
      answers: codecs.verifiedToken,
      asks: users("verifyToken", "signIn"),
    },
  },
  objects: {
    open: {
      does: "read",
      given: place,
      answers: optional(codecs.openedObject),
      asks: bucket("open", "get"),
      hands: "object",
    },
    find: { does: "read", given: place, answers: optional(codecs.objectFacts), asks: bucket("find", "exists") },
    put: {
      does: "write",
      given: [...place, bytes, codecs.putOptions],
      answers: codecs.objectFacts,
      asks: bucket("put", "put"),
      checks: (_bucket, key, _body, { contentType }) => {
        checkObjectKey(key);
        if (!isContentType(contentType))
          throw new PlatformError("content-type", `${JSON.stringify(contentType)} is not a content type`);
      },
    },
    delete: { does: "write", given: place, answers: nothing, asks: bucket("delete", "delete") },
    list: {
      does: "read",
      given: [...place, codecs.listOptions],
      answers: codecs.objectPage,
      asks: bucket("list", "list"),
    },
    sign: {
      does: "read",
      given: [codecs.grant],
      answers: codecs.signedRequest,
      asks: ({ bucket: name, method }) => bucket(`sign ${method}`, method === "GET" ? "signedGet" : "signedPut")(name),
    },
    // The token is itself what allows it.
    openGrant: { does: "read", given: [text], answers: optional(codecs.grant), asks: () => [] },
  },
  messages: {
    send: { does: "write", given: [codecs.destination, codecs.outgoing], answers: text, asks: sends },
  },
};

/** A part of the platform whose operations are asked for one by one. */
export type PortName = Exclude<keyof Platform, "dispatcher" | "clock" | "close">;

const { insert, upsert, update } = operations.entities;

/** What a transaction is told before it commits, and what travels of it with the commit. */
export const transactionSteps: {
  readonly [Name in "insert" | "upsert" | "update" | "delete" | "send"]: Pick<
    Operation<Parameters<Transaction[Name]>, void>,
    "given" | "asks"
  >;
} = {
  insert,
  upsert,
  update: { given: [codecs.key, codecs.fields, optional(codecs.writeOptions)], asks: update.asks },
  delete: { given: [codecs.key], asks: entity("delete", "delete") },
  send: { given: [codecs.destination, codecs.outgoing, optional(handle)], asks: sends },
};

/** The operations of a port by name, whatever their types. */
export function operationsOf(port: PortName): readonly (readonly [name: string, operation: AnyOperation])[] {
  return Object.entries(operations[port] as unknown as Readonly<Record<string, AnyOperation>>);
}

/** A port whose operations are carried out by what `callOf` makes of each. */
export function portOf<Port extends PortName>(
  port: Port,
  callOf: (name: string, operation: AnyOperation) => Call,
): Omit<Platform[Port], "begin" | "getNow"> {
  const calls = operationsOf(port).map(([name, operation]) => [name, callOf(name, operation)]);
  return Object.fromEntries(calls) as Omit<Platform[Port], "begin" | "getNow">;
}

function asked<Of>(kind: Ask["kind"], nameOf: (of: Of) => string, asks: string, ...by: readonly string[]) {
  return (of: Of): readonly Ask[] => [{ kind, name: nameOf(of), asks, by }];
}

function entity(asks: string, ...by: readonly string[]) {
  return asked("entity", ({ kind }: { readonly kind: string }) => kind, asks, ...by);
}

function bucket(asks: string, ...by: readonly string[]) {
  return asked("bucket", (name: string) => name, asks, ...by);
}

function users(asks: string, ...by: readonly string[]) {
  return (): readonly Ask[] => [{ kind: "users", name: "", asks, by }];
}

function holds({ name }: { readonly name: string }): readonly Ask[] {
  return [{ kind: "lease", name: name.split(" ", 1)[0] ?? "", asks: "hold", by: ["hold"] }];
}

function sends({ kind, name }: Destination): readonly Ask[] {
  const by = { queue: "send", topic: "publish", job: "start", event: "send" }[kind];
  return [{ kind, name, asks: "send", by: [by] }];
}
