import type { Transaction, TransactionOptions } from "../../contract.ts";
import { isPlatformError } from "../../errors.ts";
import { documentToWire, pageToWire } from "../protocol.ts";
import type { Args } from "./args.ts";
import { asked, countOf } from "./entities.ts";
import { fenceOf } from "./leases.ts";
import { destinationAsked, outgoingOf } from "./messages.ts";
import { operation } from "./operation.ts";
import type { Operation, Place } from "./operation.ts";

interface Reference {
  readonly id: string;
  /** Whether this is its first read. */
  readonly begin: boolean;
  readonly options: TransactionOptions;
}

/** A transaction's reads are made in one that is open here; its writes come with the commit. */
export const transactions: Readonly<Record<string, Operation>> = {
  "transactions/get": operation(
    (args) => ({ ...referenceOf(args), key: args.key("key") }),
    ({ key }) => [asked(key.kind, "get")],
    async ({ key, ...reference }, place) =>
      documentToWire(await reading(reference, place, (transaction) => transaction.get(key))),
  ),
  "transactions/query": operation(
    (args) => ({ ...referenceOf(args), query: args.query("query") }),
    ({ query }) => [asked(query.kind, "query")],
    async ({ query, ...reference }, place) =>
      pageToWire(await reading(reference, place, (transaction) => transaction.query(query))),
  ),
  "transactions/count": operation(
    (args) => ({ ...referenceOf(args), ...countOf(args) }),
    ({ query }) => [asked(query.kind, "count")],
    ({ query, upTo, ...reference }, place) =>
      reading(reference, place, (transaction) => transaction.count(query, upTo)),
  ),
  "transactions/commit": operation(
    (args) => ({
      id: args.optional("id", (each) => args.handle(each)),
      options: args.present("fence", (each) => fenceOf(args.args(each))),
      writes: args.list("writes").map(writeOf),
      messages: args.list("messages").map((each) => ({
        id: each.handle("id"),
        destination: each.destination("destination"),
        message: outgoingOf(each),
      })),
    }),
    ({ writes, messages }) => [
      ...writes.map(({ key, asks }) => asked(key.kind, asks)),
      ...messages.map(({ destination }) => destinationAsked(destination)),
    ],
    async ({ id, options, writes, messages }, { platform, peer }) => {
      const transaction = id === undefined ? await platform.entities.begin(options) : peer.takeTransaction(id);
      for (const { write } of writes) write(transaction);
      for (const { destination, message, id: given } of messages) transaction.send(destination, message, given);
      await transaction.commit();
    },
  ),
  "transactions/rollback": operation(
    (args) => args.handle("id"),
    () => [],
    async (id, { peer }) => peer.forgetTransaction(id),
  ),
};

function referenceOf(args: Args): Reference {
  return {
    id: args.handle("id"),
    begin: args.flag("begin"),
    options: args.present("fence", (each) => fenceOf(args.args(each))),
  };
}

/** A read in the transaction, which has ended when it fails with `conflict`. */
async function reading<T>(
  { id, begin, options }: Reference,
  { platform, peer }: Place,
  read: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  if (begin) peer.keepTransaction(id, await platform.entities.begin(options));
  const transaction = peer.transaction(id);
  try {
    return await read(transaction);
  } catch (error) {
    if (isPlatformError(error, "conflict")) peer.forgetTransaction(id);
    throw error;
  }
}

/** A write as the transaction was asked for it. */
function writeOf(args: Args) {
  const asks = args.oneOf("how", ["insert", "upsert", "update", "delete"]);
  const key = args.key("key");
  if (asks === "delete") return { key, asks, write: (transaction: Transaction) => transaction.delete(key) };
  const fields = args.fields("fields");
  const options = args.present("expires", (each) => args.date(each));
  return { key, asks, write: (transaction: Transaction) => transaction[asks](key, fields, options) };
}
