import { transactionAttempts } from "../lib/limits.ts";
import type { Platform, Transaction, TransactionOptions } from "./contract.ts";
import { isPlatformError, PlatformError } from "./errors.ts";
import { KeyedMutex } from "./keyed-mutex.ts";
import { refuseIfOver, unlessOver, type Lifetime } from "./lifetime.ts";

/** Milliseconds before the second attempt of a transaction, at most; twice as many before each further one. */
const transactionBackoffMs = 20;

/** Milliseconds before an attempt of a transaction, at most. */
const transactionBackoffCeilingMs = 1_000;

/** Milliseconds that a losing transaction waits for each of the others that lost to the same document before. */
const transactionTurnMs = 5_000;

/** Options of `transact`. */
export interface TransactOptions extends TransactionOptions {
  /** What has not been committed when it is over is rolled back, and fails with the reason. */
  readonly until?: Lifetime | undefined;
}

/** What of a platform transactions take. */
export interface Transacting {
  readonly entities: Pick<Platform["entities"], "begin">;
  readonly clock: Platform["clock"];
  readonly until?: (lifetime: Lifetime) => Pick<Transacting, "entities">;
}

const mutexOfStores = new WeakMap<object, KeyedMutex>();

/**
 * Runs the work in a transaction and commits it. On a conflict the work runs again, from the start and on new reads, after
 * a growing random pause; those of this process that lost to the same document then take turns. After the last attempt it
 * fails with `conflict`. Whatever else the work throws ends the transaction without a write.
 */
export async function transact<T>(
  platform: Transacting,
  work: (transaction: Transaction) => Promise<T>,
  { until: asked, ...options }: TransactOptions = {},
): Promise<T> {
  // What is begun when nobody waits any more is what was left to do.
  const until = asked?.isOver ? undefined : asked;
  const { entities } = (until && platform.until?.(until)) ?? platform;
  let lost: PlatformError;
  let release: (() => void) | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(entities, { work, until }, options);
    } catch (error) {
      if (!isPlatformError(error, "conflict")) throw error;
      if (attempt === transactionAttempts) throw exhausted(error);
      lost = error;
    } finally {
      release?.();
    }
    await platform.clock.sleep(pause(attempt), until?.signal, { contention: true });
    release = await turn(platform, lost, until);
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

/** Milliseconds before the next attempt: anywhere up to a bound that doubles. */
function pause(attempt: number): number {
  return Math.random() * Math.min(transactionBackoffCeilingMs, transactionBackoffMs * 2 ** (attempt - 1));
}

/** Waits for the turn among those that lost to the same document. */
async function turn(
  { entities }: Pick<Transacting, "entities">,
  lost: PlatformError,
  until: Lifetime | undefined,
): Promise<() => void> {
  const mutex = mutexOfStores.get(entities) ?? new KeyedMutex();
  mutexOfStores.set(entities, mutex);
  const turn = mutex.lock(lost.subject ?? "", { each: transactionTurnMs });
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
