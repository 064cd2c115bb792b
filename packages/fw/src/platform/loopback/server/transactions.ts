import { flag, handle, listAt, object, oneOf, optional, readAll, type Reader } from "../../../lib/codec.ts";
import { transactionOptions } from "../../codecs.ts";
import type { Transaction } from "../../contract.ts";
import { isPlatformError } from "../../errors.ts";
import type { AccessRequest } from "../../grants.ts";
import type { AnyOperation } from "../../operation.ts";
import { operations, transactionSteps } from "../../operations.ts";
import type { TransactionReference } from "../protocol.ts";
import { serving, type CallContext, type ServedOperation } from "./operation.ts";

const reference = object<TransactionReference>({ id: handle, begin: flag, options: transactionOptions });

interface TransactionStep {
  readonly accesses: readonly AccessRequest[];
  readonly take: (transaction: Transaction) => void;
}

const stepName = oneOf(...(Object.keys(transactionSteps) as (keyof typeof transactionSteps)[]));

const steps: Reader<readonly TransactionStep[]> = { read: (value, at) => listAt(value, at).map(stepOf) };

function stepOf(value: unknown): TransactionStep {
  const [name, ...encodedArgs] = listAt(value, "a step");
  const how = stepName.read(name, "the step");
  const { args: codecs, accesses } = transactionSteps[how] as unknown as AnyOperation;
  const args = readAll(codecs, encodedArgs);
  return {
    accesses: accesses(...args),
    take: (transaction) => (transaction[how] as (...values: readonly unknown[]) => void).apply(transaction, args),
  };
}

/**
 * Operations of transactions. Reads run in a transaction that is open in this process; writes arrive with the commit.
 */
export const transactions: Readonly<Record<string, ServedOperation>> = {
  "transactions/get": reads("get"),
  "transactions/query": reads("query"),
  "transactions/count": reads("count"),
  "transactions/total": reads("total"),
  "transactions/commit": serving({
    args: [optional(handle), transactionOptions, steps],
    accesses: (_id, _options, steps) => steps.flatMap(({ accesses }) => accesses),
    run: async ([id, options, steps], { platform, peer }) => {
      const transaction = id === undefined ? await platform.entities.begin(options) : peer.takeTransaction(id);
      for (const { take } of steps) take(transaction);
      await transaction.commit();
    },
  }),
  "transactions/rollback": serving({
    args: [handle],
    accesses: () => [],
    run: async ([id], { peer }) => peer.forgetTransaction(id),
  }),
};

/** Creates a read operation of a transaction. If a read fails with `conflict`, the transaction has ended. */
function reads(name: "get" | "query" | "count" | "total"): ServedOperation {
  const { args, accesses, answers } = operations.entities[name] as unknown as AnyOperation;
  return {
    args: [reference, ...args],
    accesses: (_, ...rest) => accesses(...rest),
    run: async ([reference, ...rest], place) => {
      const transaction = await open(reference as TransactionReference, place);
      try {
        const read = transaction[name] as (...values: readonly unknown[]) => Promise<unknown>;
        return answers.write(await read.apply(transaction, rest));
      } catch (error) {
        if (isPlatformError(error, "conflict")) place.peer.forgetTransaction((reference as TransactionReference).id);
        throw error;
      }
    },
  };
}

async function open(
  { id, begin, options }: TransactionReference,
  { platform, peer }: CallContext,
): Promise<Transaction> {
  if (begin) peer.keepTransaction(id, await platform.entities.begin(options));
  return peer.transaction(id);
}
