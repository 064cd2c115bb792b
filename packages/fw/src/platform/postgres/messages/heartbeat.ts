import type { Clock } from "../../contract.ts";
import { DeliveryLost } from "../../deadline.ts";
import type { ClaimedDelivery } from "./delivery.ts";
import { leaseMs, type DeliveryStore } from "./store.ts";

/** Milliseconds from the start of a lease to its renewal, which leaves time for retries. */
const renewMs = leaseMs / 3;

/** Milliseconds before a failed renewal is repeated. */
const retryMs = 1_000;

/**
 * Renews the leases of claimed messages and abandons deliveries whose leases end. A lease's time starts when its
 * statement is sent, so it ends here before it ends in the database.
 */
export class Heartbeat {
  readonly #store: Pick<DeliveryStore, "renew">;
  readonly #clock: Clock;
  readonly #leasedAt = new Map<ClaimedDelivery, number>();
  #sleep: AbortController | undefined;
  #wakesAt = Infinity;
  #isRenewing = false;
  #isClosed = false;

  constructor(store: Pick<DeliveryStore, "renew">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Starts renewing a lease. Returns false if it has already ended. */
  add(delivery: ClaimedDelivery, leasedAt: number): boolean {
    if (this.#clock.elapsed() >= leasedAt + leaseMs) return false;
    this.#leasedAt.set(delivery, leasedAt);
    this.#wakeAt(leasedAt + renewMs);
    return true;
  }

  delete(delivery: ClaimedDelivery): void {
    this.#leasedAt.delete(delivery);
  }

  close(): void {
    this.#isClosed = true;
    this.#sleep?.abort();
  }

  #wakeAt(instant: number): void {
    if (this.#isClosed || instant >= this.#wakesAt) return;
    this.#sleep?.abort();
    const sleep = new AbortController();
    this.#sleep = sleep;
    this.#wakesAt = instant;
    const milliseconds = Math.max(0, Math.ceil(instant - this.#clock.elapsed()));
    void this.#clock.sleep(milliseconds, sleep.signal, { background: true }).then(
      () => this.#beat(),
      () => {},
    );
  }

  /** Ends and renews leases. Never waits for the database, so that leases end on time even without a response. */
  #beat(): void {
    this.#wakesAt = Infinity;
    const elapsed = this.#clock.elapsed();
    for (const [delivery, leasedAt] of this.#leasedAt) if (elapsed >= leasedAt + leaseMs) this.#lose(delivery);
    if (!this.#isRenewing && elapsed >= this.#oldest + renewMs) void this.#renew(elapsed);
    this.#wakeAt(this.#oldest + (this.#isRenewing ? leaseMs : renewMs));
  }

  async #renew(sentAt: number): Promise<void> {
    this.#isRenewing = true;
    const deliveries = [...this.#leasedAt.keys()];
    try {
      const lostDeliveries = new Set(await this.#store.renew(deliveries));
      for (const delivery of deliveries) {
        if (lostDeliveries.has(delivery)) this.#lose(delivery);
        else if (this.#leasedAt.has(delivery)) this.#leasedAt.set(delivery, sentAt);
      }
      this.#wakeAt(this.#oldest + renewMs);
    } catch {
      this.#wakeAt(this.#clock.elapsed() + retryMs);
    } finally {
      this.#isRenewing = false;
    }
  }

  get #oldest(): number {
    return Math.min(...this.#leasedAt.values());
  }

  #lose(delivery: ClaimedDelivery): void {
    this.#leasedAt.delete(delivery);
    delivery.giveUp("lost", new DeliveryLost());
  }
}
