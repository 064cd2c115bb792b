import type { Platform } from "./contract.ts";

/** What a platform is asked for one by one. */
export type Ports = Pick<Platform, "entities" | "leases" | "accounts" | "objects" | "messages">;

/** How long somebody waits for what a platform is asked. */
export interface Lifetime {
  /** Aborts with its reason when nobody waits any more. */
  readonly signal: AbortSignal;
  /** Whether it has aborted; a signal that is made when it is asked for need not be made to know that. */
  readonly isOver: boolean;
}

/** The lifetime of work that is known by its signal. */
export function lifetimeOf(signal: AbortSignal): Lifetime {
  return {
    signal,
    get isOver() {
      return signal.aborted;
    },
  };
}

/** What a platform is asked for until nobody waits any more. What is begun after that is carried out: it is what was left to do. */
export function portsFor(platform: Platform, lifetime: Lifetime | undefined): Ports {
  return lifetime === undefined || lifetime.isOver || platform.until === undefined
    ? platform
    : platform.until(lifetime);
}

/** Fails with the reason for which nobody waits any more. */
export function refuseIfOver(lifetime: Lifetime | undefined): void {
  if (lifetime?.isOver) throw lifetime.signal.reason;
}

/** An answer for as long as somebody waits for it; rejects with the reason when nobody does any more. */
export function unlessOver<T>({ signal }: Lifetime, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    const ended = (): void => signal.removeEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    answer.then(resolve, reject).finally(ended);
  });
}
