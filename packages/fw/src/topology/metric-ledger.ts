import type { CountedReport } from "../runtime/observe/metrics/collect.ts";
import { mergeSnapshots } from "../runtime/observe/metrics/merge.ts";
import type { MetricSnapshot } from "../runtime/observe/metrics/snapshot.ts";

/** Processes of a service that are kept apart: one that ended without a word is added to those before it when there are more. */
const keptApart = 8;

/** What the processes of a service have counted. */
interface Account {
  /** By process, what it said last. */
  readonly open: Map<string, MetricSnapshot>;
  /** Processes that say nothing more. */
  readonly closed: Set<string>;
  /** What they counted. */
  before: MetricSnapshot | undefined;
}

/** What all processes of all services have counted since the first of them, those that have ended included. */
export class MetricLedger {
  readonly #accounts = new Map<string, Account>();
  readonly #since: number;

  constructor(since: number) {
    this.#since = since;
  }

  /** Takes what a process has counted up to now. Answers may overtake each other. */
  report(service: string, { instance, snapshot, last }: CountedReport): void {
    const account = this.#accountOf(service);
    const { open, closed } = account;
    if (closed.has(instance) || (!last && snapshot.at <= (open.get(instance)?.at ?? -1))) return;
    open.delete(instance);
    open.set(instance, snapshot);
    if (last) close(account, instance);
    else if (open.size > keptApart) close(account, open.keys().next().value ?? instance);
  }

  /** What was counted in a service, or in all of them. */
  snapshot(service?: string): MetricSnapshot {
    const accounts = service === undefined ? this.#accounts.values() : [this.#accountOf(service)];
    const parts = [...accounts].flatMap(({ open, before }) => [...(before ? [before] : []), ...open.values()]);
    const { at, series } = mergeSnapshots(parts);
    return { at, since: this.#since, series };
  }

  #accountOf(service: string): Account {
    const known = this.#accounts.get(service);
    if (known !== undefined) return known;
    const opened: Account = { open: new Map(), closed: new Set(), before: undefined };
    this.#accounts.set(service, opened);
    return opened;
  }
}

function close(account: Account, instance: string): void {
  const snapshot = account.open.get(instance);
  account.open.delete(instance);
  account.closed.add(instance);
  if (snapshot !== undefined) account.before = account.before ? mergeSnapshots([account.before, snapshot]) : snapshot;
}
