import { list, nothing, number, optional, text, finite, flag, handle } from "../lib/codec.ts";
import * as codecs from "./codecs.ts";
import type { Key, Platform, Transaction } from "./contract.ts";
import type { AccountChange, AccountFields } from "./accounts.ts";
import { checkDocument } from "./document.ts";
import type { AccessRequest } from "./grants.ts";
import type { Destination } from "./messages.ts";
import type { Ports } from "./lifetime.ts";
import { checkObjectKey } from "./object-key.ts";
import { checkContentType } from "./base-objects.ts";
import type { ObjectGrant, PutOptions } from "./objects.ts";
import { bytes, type AnyOperation, type Call, type Operation, type Operations } from "./operation.ts";

// `NoInfer` keeps extra keys from widening the required ones, so no row can omit what the contract demands.
const read = rowOf("read");
const write = rowOf("write");

function rowOf<const Does extends "read" | "write">(does: Does) {
  return <const Args, Answers, Accesses, const More = object>(
    args: Args,
    answers: Answers,
    accesses: Accesses,
    more?: More,
  ): Row<Does, Args, Answers, Accesses> & NoInfer<More> =>
    ({ does, args, answers, accesses, ...more }) as Row<Does, Args, Answers, Accesses> & NoInfer<More>;
}

interface Row<Does, Args, Answers, Accesses> {
  readonly does: Does;
  readonly args: Args;
  readonly answers: Answers;
  readonly accesses: Accesses;
}

const reads = accessTo("entity", ({ kind }: Key) => kind, "get", "find", "get", "getMany", "update");
const place = [text, text] as const;

/**
 * The operations that another process can request outside of a transaction. For transactions, see `transactionSteps`.
 */
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
    acquire: write([text, finite], optional(codecs.heldLease), (name: string) => holds({ name }), { handle: "lease" }),
    renew: write([codecs.fence, finite], codecs.heldLease, holds, { handle: "lease" }),
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
    change: write([text, codecs.accountChange], codecs.account, users("change", "change"), {
      derives: (_id: string, { password }: AccountChange) => password !== undefined,
    }),
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
    open: read(place, optional(codecs.openedObject), bucket("open", "get"), { handle: "object" }),
    find: read(place, optional(codecs.objectFacts), bucket("find", "exists")),
    put: write([...place, bytes, codecs.putOptions], codecs.objectFacts, bucket("put", "put"), {
      checks: (_bucket: string, key: string, _body: unknown, { contentType }: PutOptions) => {
        checkObjectKey(key);
        checkContentType(contentType);
      },
    }),
    delete: write(place, nothing, bucket("delete", "delete")),
    list: read([...place, codecs.listOptions], codecs.objectPage, bucket("list", "list")),
    sign: read([codecs.grant], codecs.signedRequest, ({ bucket: name, method }: ObjectGrant) =>
      bucket(`sign ${method}`, method === "GET" ? "signedGet" : "signedPut")(name),
    ),
    // The token itself authorizes the call.
    openGrant: read([text], optional(codecs.grant), () => []),
  },
  messages: {
    send: write([codecs.destination, codecs.outgoing], text, sends),
  },
};

/** A port whose operations can each be requested individually. */
export type PortName = Exclude<
  keyof Platform,
  "dispatcher" | "deadLetters" | "clock" | "changes" | "until" | "prepare" | "fills" | "close"
>;

const { insert, upsert, update } = operations.entities;

/** The writes and messages of a transaction, which are sent when it commits. */
export const transactionSteps: {
  readonly [Name in "insert" | "upsert" | "update" | "delete" | "send"]: Pick<
    Operation<Parameters<Transaction[Name]>, void>,
    "args" | "accesses"
  >;
} = {
  insert,
  upsert,
  update: { args: [codecs.key, codecs.fields, optional(codecs.writeOptions)], accesses: update.accesses },
  delete: { args: [codecs.key], accesses: entity("delete", "delete") },
  send: { args: [codecs.destination, codecs.outgoing, optional(handle)], accesses: sends },
};

export function operationsOf(port: PortName): readonly (readonly [name: string, operation: AnyOperation])[] {
  return Object.entries(operations[port] as unknown as Readonly<Record<string, AnyOperation>>);
}

type PortOf<Port extends PortName> = Omit<Platform[Port], "begin" | "getNow">;

/**
 * Creates ports from a function that implements each operation and one that begins transactions. Each port is created
 * on first use.
 */
export function portsWith(
  callOf: (port: PortName, name: string, operation: AnyOperation) => Call,
  begin: Platform["entities"]["begin"],
): Ports {
  const ports: Partial<Record<PortName, object>> = {};
  const port = <Port extends PortName>(name: Port): PortOf<Port> => {
    const calls = (): object =>
      Object.fromEntries(operationsOf(name).map(([method, operation]) => [method, callOf(name, method, operation)]));
    return (ports[name] ??= calls()) as PortOf<Port>;
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

function accessTo<Of>(kind: AccessRequest["kind"], nameOf: (of: Of) => string, asks: string, ...by: readonly string[]) {
  return (of: Of): readonly AccessRequest[] => [{ kind, name: nameOf(of), asks, by }];
}

function entity(asks: string, ...by: readonly string[]) {
  return accessTo("entity", ({ kind }: { readonly kind: string }) => kind, asks, ...by);
}

function bucket(asks: string, ...by: readonly string[]) {
  return accessTo("bucket", (name: string) => name, asks, ...by);
}

function users(asks: string, ...by: readonly string[]) {
  return (): readonly AccessRequest[] => [{ kind: "users", name: "", asks, by }];
}

function holds({ name }: { readonly name: string }): readonly AccessRequest[] {
  return [{ kind: "lease", name: name.split(" ", 1)[0] ?? "", asks: "hold", by: ["hold"] }];
}

function sends({ kind, name }: Destination): readonly AccessRequest[] {
  const by = { queue: "send", topic: "publish", job: "start", event: "send" }[kind];
  return [{ kind, name, asks: "send", by: [by] }];
}
