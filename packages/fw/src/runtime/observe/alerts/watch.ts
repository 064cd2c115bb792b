import { conditionText, type AlertCondition, type AlertRule, type Series } from "../../../lib/alert-rule.ts";
import type { LogRecord } from "../log.ts";
import { percentileOf } from "../metrics/buckets.ts";
import type { MetricSnapshot } from "../metrics/snapshot.ts";
import { pointOf, SeriesHistory, type Increase, type Point } from "./history.ts";

/** Limit: milliseconds between two evaluations of alerts. */
export const alertTickMs = 30_000;

interface AlertState {
  /** The time since which the condition has held continuously; undefined while it does not hold. */
  readonly since?: number;
  readonly firing: boolean;
}

type IncreaseOf = (series: Series, window: number) => Increase;

/** An alert that started or stopped firing. */
export interface AlertChange {
  readonly rule: AlertRule;
  readonly firing: boolean;
  readonly at: number;
}

/** Returns the counts of one service, or of all services. */
export type SnapshotOf = (service?: string) => MetricSnapshot;

/** Evaluates alerts at fixed instants, `alertTickMs` apart. */
export class AlertWatch {
  readonly #snapshotOf: SnapshotOf;
  #rules: readonly AlertRule[] = [];
  #histories: ReadonlyMap<string, { readonly series: Series; readonly history: SeriesHistory }> = new Map();
  #states: Map<string, AlertState> = new Map();
  #next: number;

  constructor(snapshotOf: SnapshotOf, now: number) {
    this.#snapshotOf = snapshotOf;
    this.#next = now + alertTickMs;
  }

  /** Replaces the alerts. Keeps the history of series that the old and new alerts have in common. */
  use(rules: readonly AlertRule[], now: number): void {
    const series = rules.flatMap(({ condition }) =>
      "to" in condition ? [condition.of, condition.to] : [condition.of],
    );
    const window = longestWindow(rules);
    this.#histories = new Map(
      series.map((each) => {
        const existing = this.#histories.get(keyOf(each));
        if (existing !== undefined) return [keyOf(each), existing];
        const history = new SeriesHistory();
        history.push({ ...this.#pointOf(each), at: now }, window);
        return [keyOf(each), { series: each, history }];
      }),
    );
    const names = new Set(rules.map(({ name }) => name));
    this.#states = new Map([...this.#states].filter(([name]) => names.has(name)));
    this.#rules = rules;
  }

  isDue(now: number): boolean {
    return now >= this.#next;
  }

  /**
   * Evaluates the alerts at every instant that has become due. Uses the current counts for each, so an earlier instant
   * may include later events.
   */
  catchUp(now: number): readonly AlertChange[] {
    if (!this.isDue(now)) return [];
    const points = [...this.#histories.values()].map(({ series, history }) => {
      return { history, point: this.#pointOf(series) };
    });
    const window = longestWindow(this.#rules);
    const changes: AlertChange[] = [];
    for (; this.#next <= now; this.#next += alertTickMs) {
      for (const { history, point } of points) history.push({ ...point, at: this.#next }, window);
      for (const rule of this.#rules) changes.push(...this.#evaluate(rule, this.#next));
    }
    return changes;
  }

  /** Returns the names of the firing alerts, sorted. */
  firing(): readonly string[] {
    return this.#rules
      .map(({ name }) => name)
      .filter((name) => this.#states.get(name)?.firing === true)
      .toSorted();
  }

  #evaluate(rule: AlertRule, at: number): readonly AlertChange[] {
    const before = this.#states.get(rule.name) ?? { firing: false };
    const after = evaluate(rule, (series, window) => this.#within(series, window), at, before);
    this.#states.set(rule.name, after);
    return after.firing === before.firing ? [] : [{ rule, firing: after.firing, at }];
  }

  #pointOf(series: Series): Point {
    return pointOf(series, this.#snapshotOf(series.service));
  }

  #within(series: Series, window: number): Increase {
    const existing = this.#histories.get(keyOf(series));
    return existing?.history.within(window) ?? { count: 0, buckets: [], covered: false, length: window };
  }
}

function longestWindow(rules: readonly AlertRule[]): number {
  return Math.max(0, ...rules.map(({ every }) => every));
}

function keyOf({ metric, service, labels }: Series): string {
  return JSON.stringify([metric, service, labels]);
}

export function changeRecord({ rule, firing, at }: AlertChange): LogRecord {
  const message = firing
    ? `alert ${rule.name} is firing: ${conditionText(rule.condition)}; when deployed, it notifies ${rule.notify.join(", ")}`
    : `alert ${rule.name} is no longer firing`;
  return { at: new Date(at), level: firing ? "warn" : "info", message, tags: {}, fields: {} };
}

function evaluate(rule: AlertRule, increaseOf: IncreaseOf, now: number, { since = now }: AlertState): AlertState {
  const holds = isHolding(rule.condition, (series) => increaseOf(series, rule.every));
  return holds ? { since, firing: now - since >= rule.for } : { firing: false };
}

function isHolding(condition: AlertCondition, increaseOf: (series: Series) => Increase): boolean {
  const { kind } = condition;
  const increase = increaseOf(condition.of);
  // Absence is certain only in a window that was observed from its start.
  if (kind === "absent") return increase.covered && increase.count === 0;
  const { comparison, threshold } = condition;
  if (kind === "rate" && comparison === "below" && !increase.covered) return false;
  const value = valueOf(condition, increase, increaseOf);
  // 0/0 and a quantile without samples are NaN, so no comparison with a threshold holds.
  return comparison === "above" ? value > threshold : value < threshold;
}

function valueOf(
  condition: Exclude<AlertCondition, { readonly kind: "absent" }>,
  { count, buckets, length }: Increase,
  increaseOf: (series: Series) => Increase,
): number {
  if (condition.kind === "rate") return count / (length / 1000);
  if (condition.kind === "ratio") return count / increaseOf(condition.to).count;
  return percentileOf(buckets, condition.quantile) ?? Number.NaN;
}
