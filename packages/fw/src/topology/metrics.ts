import type { AlertRule } from "../lib/alert-rule.ts";
import { atMost } from "../platform/clock.ts";
import { AlertReporter } from "../runtime/observe/alerts/reporter.ts";
import type { LogSink } from "../runtime/observe/log.ts";
import { collectPath, type CountedReport } from "../runtime/observe/metrics/collect.ts";
import { requireScrapeToken, sendMetrics } from "../runtime/observe/metrics/scrape.ts";
import type { MetricSnapshot } from "../runtime/observe/metrics/snapshot.ts";
import type { Request } from "../runtime/request.ts";
import { refuseMethod } from "../runtime/response/refusal.ts";
import type { PlatformCaller } from "./deliveries.ts";
import type { ServiceProcess } from "./process.ts";
import { type ServicePool, mostProcesses } from "./service-pool.ts";
import { mergeSnapshots } from "../runtime/observe/metrics/merge.ts";

/** How long a collection waits for reports, in milliseconds. A later report counts from the next collection on. */
const patienceMs = 2_000;

/** Milliseconds between collections. A killed process loses its counts since the last collection. */
const pauseMs = 5_000;

interface CollectedMetricsOptions {
  readonly caller: PlatformCaller;
  readonly pools: () => ReadonlyMap<string, Pick<ServicePool, "processes">>;
  readonly stopping: AbortSignal;
  readonly alertLog: LogSink;
  /** Called when an alert starts or stops firing. */
  readonly onAlert: () => void;
}

/** Collects and adds up the metrics from all processes of all services, and watches the alerts. */
export class CollectedMetrics {
  readonly #options: CollectedMetricsOptions;
  /** The counts from the last collection and from reports that services sent unprompted. */
  readonly ledger: MetricLedger = new MetricLedger(Date.now());
  readonly #alerts: AlertReporter;

  constructor(options: CollectedMetricsOptions) {
    this.#options = options;
    this.#alerts = new AlertReporter({
      snapshotOf: (service) => this.ledger.snapshot(service),
      collect: () => this.collect(),
      log: options.alertLog,
      onChange: options.onAlert,
    });
    const timer = setInterval(() => void this.collect(), pauseMs).unref();
    const end = (): void => {
      clearInterval(timer);
      this.#alerts.end();
    };
    options.stopping.addEventListener("abort", end, { once: true });
  }

  /** Watches the alerts of `rules`. Collects first, so earlier counts do not trigger new alerts. */
  async watch(rules: readonly AlertRule[]): Promise<void> {
    if (rules.length > 0) await this.collect();
    this.#alerts.use(rules);
  }

  firing(): readonly string[] {
    return this.#alerts.firing();
  }

  async snapshot(): Promise<MetricSnapshot> {
    await this.collect();
    return this.ledger.snapshot();
  }

  /** Collects the counts of all running processes. Resolves when they have reported, or after `patienceMs`. */
  async collect(): Promise<void> {
    const running = [...this.#options.pools()].flatMap(([service, { processes }]) =>
      processes.filter(({ isListening }) => isListening).map((process) => this.#ask(service, process)),
    );
    await atMost(Promise.allSettled(running), patienceMs);
  }

  /** Returns the handler of scrapes. In production, scrapes need the token; without one, returns undefined. */
  scraping(
    production: { readonly scrapeToken?: string } | undefined,
  ): ((request: Request) => Promise<void>) | undefined {
    const token = production?.scrapeToken;
    if (production !== undefined && token === undefined) return undefined;
    return async (request) => {
      if (token === undefined || requireScrapeToken(request, token)) await this.#answer(request);
    };
  }

  async #answer(request: Request): Promise<void> {
    const { method } = request.exchange;
    if (method !== "GET" && method !== "HEAD") return refuseMethod(request, ["GET"]);
    sendMetrics(request, await this.snapshot());
  }

  async #ask(service: string, process: ServiceProcess): Promise<void> {
    const { status, text } = await this.#options.caller.postTo(process, service, collectPath, "");
    if (status === 200) this.ledger.report(service, JSON.parse(text) as CountedReport);
  }
}

/**
 * The maximum number of processes of a service with separate counts: enough for the processes before and after an
 * upgrade. Beyond that, the counts of the process with the oldest report are merged.
 */
const maxTracked = 2 * mostProcesses;

interface Account {
  /** The last report of each process. */
  readonly open: Map<string, MetricSnapshot>;
  /** Processes that sent their last report, or whose counts were merged because there were too many. */
  readonly closed: Set<string>;
  /** The merged counts of closed processes. */
  before: MetricSnapshot | undefined;
}

/** Accumulates the metrics of all services, including processes that have ended. */
export class MetricLedger {
  readonly #accounts = new Map<string, Account>();
  readonly #since: number;

  constructor(since: number) {
    this.#since = since;
  }

  /**
   * Records the current or final counts of a process. Final counts are merged with the counts of other ended processes.
   * Ignores late reports.
   */
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
