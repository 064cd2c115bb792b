import type { Platform } from "./contract.ts";

/** The ports of a platform that a lifetime can bind. */
export type Ports = Pick<Platform, "entities" | "leases" | "accounts" | "objects" | "messages">;

/** The period during which a caller waits for the platform. */
export interface Lifetime {
  /** Aborts with its reason when the caller stops waiting. */
  readonly signal: AbortSignal;
  /** Whether the signal has aborted. Reading it does not force a lazy signal to be created. */
  readonly isOver: boolean;
}

export function lifetimeOf(signal: AbortSignal): Lifetime {
  return {
    signal,
    get isOver() {
      return signal.aborted;
    },
  };
}

/** Returns ports bound to the lifetime, if supported; unbound ones once it is over, so later cleanup still runs. */
export function portsFor(platform: Platform, lifetime: Lifetime | undefined): Ports {
  return lifetime === undefined || lifetime.isOver || platform.until === undefined
    ? platform
    : platform.until(lifetime);
}

/** Throws the signal's reason if the lifetime is over. */
export function refuseIfOver(lifetime: Lifetime | undefined): void {
  if (lifetime?.isOver) throw lifetime.signal.reason;
}

/** Settles like `answer`, or rejects with the signal's reason if the lifetime ends first. */
export function unlessOver<T>({ signal }: Lifetime, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    const cleanUp = (): void => signal.removeEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    answer.then(resolve, reject).finally(cleanUp);
  });
}
