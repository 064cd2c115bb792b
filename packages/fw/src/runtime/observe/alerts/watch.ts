import { conditionText, type AlertCondition, type AlertRule, type Series } from "../../../lib/alert-rule.ts";
import { alertTickMs } from "../../../lib/limits.ts";
import type { LogRecord } from "../log.ts";
import { percentileOf } from "../metrics/buckets.ts";
import type { MetricSnapshot } from "../metrics/snapshot.ts";
import { pointOf, SeriesHistory, type Increase, type Point } from "./history.ts";

/** Where an alert stands. */
interface AlertState {
  /** Since when its condition holds, without a break; undefined while it does not. */
  readonly since?: number;
  readonly firing: boolean;
}

/** What was counted of a series within the window of an alert. */
type Counted = (series: Series, window: number) => Increase;

/** An alert that began to fire, or ended. */
export interface AlertChange {
  readonly rule: AlertRule;
  readonly firing: boolean;
  readonly at: number;
}

/** What was counted in a service, or in all of them. */
export type CountedIn = (service?: string) => MetricSnapshot;

/** Looks at what is counted every 30 seconds, from when it began, and knows which alerts fire. */
export class AlertWatch {
  readonly #counted: CountedIn;
  #rules: readonly AlertRule[] = [];
  #histories: ReadonlyMap<string, { readonly series: Series; readonly history: SeriesHistory }> = new Map();
  #states: Map<string, AlertState> = new Map();
  #next: number;

  constructor(counted: CountedIn, now: number) {
    this.#counted = counted;
    this.#next = now + alertTickMs;
  }

  /** From now on these are the alerts. What is known of the series that they look at stays. */
  use(rules: readonly AlertRule[], now: number): void {
    const series = rules.flatMap(({ condition }) =>
      "to" in condition ? [condition.of, condition.to] : [condition.of],
    );
    const kept = longest(rules);
    this.#histories = new Map(
      series.map((each) => {
        const known = this.#histories.get(keyOf(each));
        if (known !== undefined) return [keyOf(each), known];
        const history = new SeriesHistory();
        history.push({ ...this.#pointOf(each), at: now }, kept);
        return [keyOf(each), { series: each, history }];
      }),
    );
    const names = new Set(rules.map(({ name }) => name));
    this.#states = new Map([...this.#states].filter(([name]) => names.has(name)));
    this.#rules = rules;
  }

  /** Whether an instant at which to look has come. */
  isDue(now: number): boolean {
    return now >= this.#next;
  }

  /** Looks at every instant that was due up to now. Nothing may have been counted since the first of them. */
  catchUp(now: number): readonly AlertChange[] {
    if (!this.isDue(now)) return [];
    const counted = [...this.#histories.values()].map(({ series, history }) => {
      return { history, point: this.#pointOf(series) };
    });
    const kept = longest(this.#rules);
    const changes: AlertChange[] = [];
    for (; this.#next <= now; this.#next += alertTickMs) {
      for (const { history, point } of counted) history.push({ ...point, at: this.#next }, kept);
      for (const rule of this.#rules) changes.push(...this.#look(rule, this.#next));
    }
    return changes;
  }

  /** The names of the alerts that fire, sorted. */
  firing(): readonly string[] {
    return this.#rules
      .map(({ name }) => name)
      .filter((name) => this.#states.get(name)?.firing === true)
      .toSorted();
  }

  #look(rule: AlertRule, at: number): readonly AlertChange[] {
    const before = this.#states.get(rule.name) ?? { firing: false };
    const after = evaluate(rule, (series, window) => this.#within(series, window), at, before);
    this.#states.set(rule.name, after);
    return after.firing === before.firing ? [] : [{ rule, firing: after.firing, at }];
  }

  #pointOf(series: Series): Point {
    return pointOf(series, this.#counted(series.service));
  }

  #within(series: Series, window: number): Increase {
    const known = this.#histories.get(keyOf(series));
    return known?.history.within(window) ?? { count: 0, buckets: [], covered: false, length: window };
  }
}

function longest(rules: readonly AlertRule[]): number {
  return Math.max(0, ...rules.map(({ every }) => every));
}

function keyOf({ metric, service, labels }: Series): string {
  return JSON.stringify([metric, service, labels]);
}

/** A change as it is logged. */
export function changeRecord({ rule, firing, at }: AlertChange): LogRecord {
  const message = firing
    ? `alert ${rule.name} fires: ${conditionText(rule.condition)}; deployed, it tells ${rule.notify.join(", ")}`
    : `alert ${rule.name} no longer fires`;
  return { at: new Date(at), level: firing ? "warn" : "info", message, tags: {}, fields: {} };
}

/** Where an alert stands after one more look at what was counted. */
function evaluate(rule: AlertRule, counted: Counted, now: number, { since = now }: AlertState): AlertState {
  const holds = isHolding(rule.condition, (series) => counted(series, rule.every));
  return holds ? { since, firing: now - since >= rule.for } : { firing: false };
}

function isHolding(condition: AlertCondition, counted: (series: Series) => Increase): boolean {
  const { kind } = condition;
  const increase = counted(condition.of);
  // What is missing can only be told of a window that has been watched from its beginning.
  if (kind === "absent") return increase.covered && increase.count === 0;
  const { comparison, threshold } = condition;
  if (kind === "rate" && comparison === "below" && !increase.covered) return false;
  const value = measured(condition, increase, counted);
  // A share of nothing is no number, which is neither above nor below another.
  return comparison === "above" ? value > threshold : value < threshold;
}

function measured(
  condition: Exclude<AlertCondition, { readonly kind: "absent" }>,
  { count, buckets, length }: Increase,
  counted: (series: Series) => Increase,
): number {
  if (condition.kind === "rate") return count / (length / 1000);
  if (condition.kind === "ratio") return count / counted(condition.to).count;
  return percentileOf(buckets, condition.quantile) ?? Number.NaN;
}
