import { conditionText, type AlertRule, type Series } from "../../../lib/alert-rule.ts";
import { alertTickMs } from "../../../lib/limits.ts";
import type { LogRecord } from "../log.ts";
import type { MetricSnapshot } from "../metrics/snapshot.ts";
import { evaluate, type AlertState } from "./evaluate.ts";
import { pointOf, SeriesHistory } from "./history.ts";

/** An alert that began to fire, or ended. */
export interface AlertChange {
  readonly rule: AlertRule;
  readonly firing: boolean;
  readonly at: number;
}

/** Looks at what is counted every 30 seconds, from when it began, and knows which alerts fire. */
export class AlertWatch {
  readonly #counted: () => MetricSnapshot;
  #rules: readonly AlertRule[] = [];
  #histories: ReadonlyMap<string, { readonly series: Series; readonly history: SeriesHistory }> = new Map();
  #states: ReadonlyMap<string, AlertState> = new Map();
  #next: number;

  constructor(counted: () => MetricSnapshot) {
    this.#counted = counted;
    this.#next = counted().at + alertTickMs;
  }

  /** From now on these are the alerts. What is known of the series that they look at stays. */
  use(rules: readonly AlertRule[]): void {
    const snapshot = this.#counted();
    const series = rules.flatMap(({ condition }) =>
      "to" in condition ? [condition.of, condition.to] : [condition.of],
    );
    const kept = longest(rules);
    this.#histories = new Map(
      series.map((each) => {
        const known = this.#histories.get(keyOf(each));
        if (known !== undefined) return [keyOf(each), known];
        const history = new SeriesHistory();
        history.push(pointOf(each, snapshot), kept);
        return [keyOf(each), { series: each, history }];
      }),
    );
    const names = new Set(rules.map(({ name }) => name));
    this.#states = new Map([...this.#states].filter(([name]) => names.has(name)));
    this.#rules = rules;
  }

  /** Looks at every instant that was due up to now. Nothing may have been counted since the first of them. */
  catchUp(now: number): readonly AlertChange[] {
    if (now < this.#next) return [];
    const snapshot = this.#counted();
    const changes: AlertChange[] = [];
    for (; this.#next <= now; this.#next += alertTickMs) changes.push(...this.#look({ ...snapshot, at: this.#next }));
    return changes;
  }

  /** The names of the alerts that fire, sorted. */
  firing(): readonly string[] {
    return this.#rules
      .map(({ name }) => name)
      .filter((name) => this.#states.get(name)?.firing === true)
      .toSorted();
  }

  #look(snapshot: MetricSnapshot): readonly AlertChange[] {
    const { at } = snapshot;
    const kept = longest(this.#rules);
    for (const { series, history } of this.#histories.values()) history.push(pointOf(series, snapshot), kept);
    const before = this.#states;
    this.#states = new Map(this.#rules.map((rule) => [rule.name, this.#stateOf(rule, at)]));
    return this.#rules.flatMap((rule) => {
      const firing = this.#states.get(rule.name)?.firing === true;
      return firing === (before.get(rule.name)?.firing === true) ? [] : [{ rule, firing, at }];
    });
  }

  #stateOf(rule: AlertRule, at: number): AlertState {
    const none = { count: 0, buckets: [], covered: false, length: rule.every };
    return evaluate(
      rule,
      (series, window) => this.#histories.get(keyOf(series))?.history.within(window) ?? none,
      at,
      this.#states.get(rule.name) ?? { firing: false },
    );
  }
}

function longest(rules: readonly AlertRule[]): number {
  return Math.max(0, ...rules.map(({ every }) => every));
}

function keyOf({ metric, labels }: Series): string {
  return JSON.stringify([metric, labels]);
}

/** A change as it is logged. */
export function changeRecord({ rule, firing, at }: AlertChange): LogRecord {
  const message = firing
    ? `alert ${rule.name} fires: ${conditionText(rule.condition)}; deployed, it tells ${rule.notify.join(", ")}`
    : `alert ${rule.name} no longer fires`;
  return { at: new Date(at), level: firing ? "warn" : "info", message, tags: {}, fields: {} };
}
