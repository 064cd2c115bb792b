import type { CountedReport } from "../runtime/observe/metrics/collect.ts";
import { mergeSnapshots } from "../runtime/observe/metrics/merge.ts";
import type { MetricSnapshot } from "../runtime/observe/metrics/snapshot.ts";
import { mostProcesses } from "./service-pool.ts";

/**
 * The number of processes of each service with separate counts, enough for those before and after an upgrade. Merges
 * the counts of the oldest beyond that.
 */
const maxTracked = 2 * mostProcesses;

interface Account {
  /** The last report of each process. */
  readonly open: Map<string, MetricSnapshot>;
  /** Processes that have sent their last report. */
  readonly closed: Set<string>;
  /** The merged counts of closed processes. */
  before: MetricSnapshot | undefined;
}

/** Accumulates the metrics of all processes of all services, including those that have ended. */
export class MetricLedger {
  readonly #accounts = new Map<string, Account>();
  readonly #since: number;

  constructor(since: number) {
    this.#since = since;
  }

  /** Records the current counts of a process. Reports may arrive in any order. */
  report(service: string, { instance, snapshot, last }: CountedReport): void {
    const account = this.#accountOf(service);
    const { open, closed } = account;
    if (closed.has(instance) || (!last && snapshot.at <= (open.get(instance)?.at ?? -1))) return;
    open.delete(instance);
    open.set(instance, snapshot);
    if (last) close(account, instance);
    else if (open.size > maxTracked) close(account, open.keys().next().value ?? instance);
  }

  /** Returns the counts of one service, or of all services. */
  snapshot(service?: string): MetricSnapshot {
    const accounts = service === undefined ? this.#accounts.values() : [this.#accountOf(service)];
    const parts = [...accounts].flatMap(({ open, before }) => [...(before ? [before] : []), ...open.values()]);
    const { at, series } = mergeSnapshots(parts);
    return { at, since: this.#since, series };
  }

  #accountOf(service: string): Account {
    const existing = this.#accounts.get(service);
    if (existing !== undefined) return existing;
    const created: Account = { open: new Map(), closed: new Set(), before: undefined };
    this.#accounts.set(service, created);
    return created;
  }
}

function close(account: Account, instance: string): void {
  const snapshot = account.open.get(instance);
  account.open.delete(instance);
  account.closed.add(instance);
  if (snapshot !== undefined) account.before = account.before ? mergeSnapshots([account.before, snapshot]) : snapshot;
}
