import { conditionText, type AlertRule, type Series } from "../../../lib/alert-rule.ts";
import { alertTickMs } from "../../../lib/limits.ts";
import type { LogRecord } from "../log.ts";
import type { MetricSnapshot } from "../metrics/snapshot.ts";
import { evaluate, type AlertState } from "./evaluate.ts";
import { pointOf, SeriesHistory, type Increase, type Point } from "./history.ts";

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
