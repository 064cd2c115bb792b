import { list, nothing, number, optional, text, finite, flag, handle } from "../lib/codec.ts";
import * as codecs from "./codecs.ts";
import type { Key, Platform, Transaction } from "./contract.ts";
import type { AccountFields } from "./accounts.ts";
import { checkDocument } from "./document.ts";
import type { Ask } from "./grants.ts";
import type { Destination } from "./messages.ts";
import type { Ports } from "./lifetime.ts";
import { checkObjectKey } from "./object-key.ts";
import { checkContentType } from "./base-objects.ts";
import type { Grant, PutOptions } from "./objects.ts";
import { bytes, type AnyOperation, type Call, type Operation, type Operations } from "./operation.ts";

// What more a row has is no part of what it is asked to be, or a row could leave out what the contract wants.
const read = rowOf("read");
const write = rowOf("write");

function rowOf<const Does extends "read" | "write">(does: Does) {
  return <const Given, Answers, Asks, const More = object>(
    given: Given,
    answers: Answers,
    asks: Asks,
    more?: More,
  ): Row<Does, Given, Answers, Asks> & NoInfer<More> =>
    ({ does, given, answers, asks, ...more }) as Row<Does, Given, Answers, Asks> & NoInfer<More>;
}

interface Row<Does, Given, Answers, Asks> {
  readonly does: Does;
  readonly given: Given;
  readonly answers: Answers;
  readonly asks: Asks;
}

const reads = asked("entity", ({ kind }: Key) => kind, "get", "find", "get", "getMany", "update");
const place = [text, text] as const;

/** Everything that a platform can be asked for. A transaction is one of its own (`transactionSteps`), a clock everybody's. */
export const operations: {
  readonly [Port in PortName]: Operations<Platform[Port], Extract<"begin" | "getNow", keyof Platform[Port]>>;
} = {
  entities: {
    get: read([codecs.key], optional(codecs.document), reads),
    getMany: read([list(codecs.key)], list(optional(codecs.document)), (keys: readonly Key[]) => keys.flatMap(reads)),
    insert: write([codecs.key, codecs.fields, optional(codecs.writeOptions)], text, entity("insert", "create"), {
      checks: checkDocument,
    }),
    upsert: write([codecs.key, codecs.fields, optional(codecs.writeOptions)], text, entity("upsert", "put"), {
      checks: checkDocument,
    }),
    update: write([codecs.key, codecs.fields, optional(codecs.updateOptions)], text, entity("update", "update"), {
      checks: checkDocument,
    }),
    delete: write([codecs.key, optional(codecs.conditionalOptions)], nothing, entity("delete", "delete")),
    query: read([codecs.query], codecs.page, entity("query", "query")),
    count: read([codecs.countQuery, optional(number)], number, entity("count", "query")),
    total: read([codecs.countQuery, text], codecs.total, entity("total", "query")),
  },
  leases: {
    acquire: write([text, finite], optional(codecs.heldLease), (name: string) => holds({ name }), { hands: "lease" }),
    renew: write([codecs.fence, finite], codecs.heldLease, holds, { hands: "lease" }),
    release: write([codecs.fence], nothing, holds),
  },
  accounts: {
    create: write([codecs.accountFields], codecs.account, users("create", "create"), {
      derives: ({ password }: AccountFields) => password !== undefined,
    }),
    get: read([text], optional(codecs.account), users("get", "get", "grant", "revoke")),
    byEmail: read([text], optional(codecs.account), users("byEmail", "byEmail")),
    list: read([number, text], codecs.accountPage, users("list", "list")),
    setClaims: write([text, codecs.claims], codecs.account, users("setClaims", "grant", "revoke")),
    setDisabled: write([text, flag], codecs.account, users("setDisabled", "disable", "enable", "delete")),
    delete: write([text], nothing, users("delete", "delete")),
    checkPassword: read([text, text], optional(codecs.account), users("checkPassword", "signIn"), {
      derives: () => true,
    }),
    testUser: write(
      [text, optional<readonly string[]>(list(text))],
      optional(codecs.account),
      users("testUser", "testUser"),
    ),
    verifyToken: read([text], codecs.verifiedToken, users("verifyToken", "signIn")),
  },
  objects: {
    open: read(place, optional(codecs.openedObject), bucket("open", "get"), { hands: "object" }),
    find: read(place, optional(codecs.objectFacts), bucket("find", "exists")),
    put: write([...place, bytes, codecs.putOptions], codecs.objectFacts, bucket("put", "put"), {
      checks: (_bucket: string, key: string, _body: unknown, { contentType }: PutOptions) => {
        checkObjectKey(key);
        checkContentType(contentType);
      },
    }),
    delete: write(place, nothing, bucket("delete", "delete")),
    list: read([...place, codecs.listOptions], codecs.objectPage, bucket("list", "list")),
    sign: read([codecs.grant], codecs.signedRequest, ({ bucket: name, method }: Grant) =>
      bucket(`sign ${method}`, method === "GET" ? "signedGet" : "signedPut")(name),
    ),
    // The token is itself what allows it.
    openGrant: read([text], optional(codecs.grant), () => []),
  },
  messages: {
    send: write([codecs.destination, codecs.outgoing], text, sends),
  },
};

/** A part of the platform whose operations are asked for one by one. */
export type PortName = Exclude<keyof Platform, "dispatcher" | "deadLetters" | "clock" | "until" | "prepare" | "close">;

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

/** A port as far as its operations go. */
type PortOf<Port extends PortName> = Omit<Platform[Port], "begin" | "getNow">;

/** Ports whose operations are carried out by what `callOf` makes of each, and transactions by `begin`. Each is made when it is asked for. */
export function portsWith(
  callOf: (port: PortName, name: string, operation: AnyOperation) => Call,
  begin: Platform["entities"]["begin"],
): Ports {
  const made: Partial<Record<PortName, object>> = {};
  const port = <Port extends PortName>(name: Port): PortOf<Port> => {
    const calls = (): object =>
      Object.fromEntries(operationsOf(name).map(([method, operation]) => [method, callOf(name, method, operation)]));
    return (made[name] ??= calls()) as PortOf<Port>;
  };
  return {
    get entities() {
      return Object.assign(port("entities"), { begin });
    },
    get leases() {
      return port("leases");
    },
    get accounts() {
      return port("accounts");
    },
    get objects() {
      return port("objects");
    },
    get messages() {
      return port("messages");
    },
  };
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
