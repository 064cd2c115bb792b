import { setMaxListeners } from "node:events";
import type { Platform, Transaction, TransactionOptions } from "./contract.ts";
import { isPlatformError, PlatformError } from "./errors.ts";
import { KeyedMutex } from "./keyed-mutex.ts";
import { refuseIfOver, unlessOver, type Lifetime } from "./lifetime.ts";

/** Limit: attempts at a transaction that encounters conflicts. */
const transactionAttempts = 20;

/**
 * Upper bound of the pause before a transaction's second attempt, in milliseconds. Doubles with each further attempt.
 */
const transactionBackoffMs = 20;

/** Upper bound of any pause, in milliseconds. */
const transactionBackoffCeilingMs = 1_000;

/** Maximum milliseconds that a transaction waits for each earlier one with a conflict over the same document. */
const transactionTurnMs = 5_000;

export interface TransactOptions extends TransactionOptions {
  /** When it ends, an uncommitted transaction rolls back and fails with the reason. */
  readonly until?: Lifetime | undefined;
}

export interface Transacting {
  readonly entities: Pick<Platform["entities"], "begin">;
  readonly clock: Platform["clock"];
  readonly until?: (lifetime: Lifetime) => Pick<Transacting, "entities">;
}

const mutexOfStores = new WeakMap<object, KeyedMutex>();

/**
 * Runs the work in a transaction and commits it. On a conflict, the work runs again from the start with new reads,
 * after a growing random pause; transactions of this process with conflicts over the same document take turns. Throws a
 * PlatformError `conflict` after the last attempt. Any other error in the work ends the transaction without writing.
 */
export async function transact<T>(
  platform: Transacting,
  work: (transaction: Transaction) => Promise<T>,
  { until: lifetime, ...options }: TransactOptions = {},
): Promise<T> {
  // Cleanup may start after the lifetime has ended. Its transactions are then not bound to the lifetime.
  const until = lifetime?.isOver ? undefined : lifetime;
  const { entities } = (until && platform.until?.(until)) ?? platform;
  let conflict: PlatformError;
  let release: (() => void) | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(entities, { work, until }, options);
    } catch (error) {
      if (!isPlatformError(error, "conflict")) throw error;
      if (attempt === transactionAttempts) throw exhausted(error);
      conflict = error;
    } finally {
      release?.();
    }
    // Each pausing transaction of a request adds a listener, which must not cause a leak warning.
    if (until) setMaxListeners(0, until.signal);
    await platform.clock.sleep(pause(attempt), until?.signal, { contention: true });
    release = await turn(platform, conflict, until);
  }
}

async function once<T>(
  entities: Transacting["entities"],
  { work, until }: { readonly work: (transaction: Transaction) => Promise<T>; readonly until: Lifetime | undefined },
  options: TransactionOptions,
): Promise<T> {
  const transaction = await entities.begin(options);
  try {
    const result = await work(transaction);
    refuseIfOver(until);
    await transaction.commit();
    return result;
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}

/**
 * Returns a random pause in milliseconds before the next attempt. Its upper bound doubles each time, up to a ceiling.
 */
function pause(attempt: number): number {
  return Math.random() * Math.min(transactionBackoffCeilingMs, transactionBackoffMs * 2 ** (attempt - 1));
}

/** Waits behind other transactions with a conflict over the same document. Returns a function that ends the turn. */
async function turn(
  { entities }: Pick<Transacting, "entities">,
  conflict: PlatformError,
  until: Lifetime | undefined,
): Promise<() => void> {
  const mutex = mutexOfStores.get(entities) ?? new KeyedMutex();
  mutexOfStores.set(entities, mutex);
  const turn = mutex.lock(conflict.subject ?? "", { each: transactionTurnMs });
  if (until === undefined) return turn;
  return unlessOver(until, turn).catch((error: unknown) => {
    void turn.then((release) => release());
    throw error;
  });
}

function exhausted(error: PlatformError): PlatformError {
  const message = `${error.message}; gave up after ${transactionAttempts} attempts`;
  return new PlatformError("conflict", message, error.subject);
}
