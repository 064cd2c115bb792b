import type { StatusClass } from "../lib/alert-rule.ts";
import type { ChannelDeclaration } from "./channel.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { EndpointDeclaration } from "./endpoint.ts";
import type { CounterDeclaration, HistogramDeclaration } from "./metric.ts";
import type { Duration } from "./duration.ts";

/** A condition of an alert, built with `rate`, `ratio`, `percentile` or `absent`. */
export interface Condition {
  /** @internal */
  readonly kind: "condition";
  /** @internal The constants of the condition, which the analysis reads from the source. */
  readonly constants: Readonly<Record<string, string | number>>;
}

/** A measured value, to be compared with a threshold. */
export interface Measure {
  /** Builds a condition that is true while the value is greater than `threshold`. */
  above(threshold: number): Condition;
  /** Builds a condition that is true while the value is less than `threshold`. */
  below(threshold: number): Condition;
}

export type { StatusClass };

/** Selects an endpoint's requests by the status class of their responses. */
export interface RequestLabels {
  readonly status?: StatusClass;
}

type Metric = CounterDeclaration | HistogramDeclaration;

function condition(constants: Condition["constants"]): Condition {
  return Object.freeze({ kind: "condition", constants });
}

function measure(constants: Condition["constants"]): Measure {
  return Object.freeze({
    above: (threshold: number) => condition({ ...constants, by: "above", threshold }),
    below: (threshold: number) => condition({ ...constants, by: "below", threshold }),
  });
}

/**
 * Measures a rate per second over the alert's window: requests to an endpoint, increments of a counter, or observations
 * of a histogram. Example: `rate(signUp).above(50)`.
 */
export function rate(subject: EndpointDeclaration, labels?: RequestLabels): Measure;
export function rate(subject: Metric): Measure;
export function rate(_subject: EndpointDeclaration | Metric, _labels?: RequestLabels): Measure {
  return measure({ measure: "rate" });
}

/**
 * Measures the share of an endpoint's responses with a status class, 0 to 1, or the quotient of two counters. Example:
 * `ratio(placeOrder, "5xx").above(0.02)`.
 */
export function ratio(subject: EndpointDeclaration, status: StatusClass): Measure;
export function ratio(part: CounterDeclaration, whole: CounterDeclaration): Measure;
export function ratio(
  _subject: EndpointDeclaration | CounterDeclaration,
  _other: StatusClass | CounterDeclaration,
): Measure {
  return measure({ measure: "ratio" });
}

/**
 * Measures a percentile of a histogram's values, or of an endpoint's latency in milliseconds. `quantile` is 0 to 1.
 * Example: `percentile(uploadBytes, 0.95).above(100_000)`.
 */
export function percentile(_subject: EndpointDeclaration | HistogramDeclaration, quantile: number): Measure {
  return measure({ measure: "percentile", quantile });
}

/** Builds a condition that is true if the window contains no request, increment or observation. */
export function absent(subject: EndpointDeclaration, labels?: RequestLabels): Condition;
export function absent(subject: Metric): Condition;
export function absent(_subject: EndpointDeclaration | Metric, _labels?: RequestLabels): Condition {
  return condition({ measure: "absent" });
}

/** Settings of an alert, written as a literal. */
export interface AlertConfig {
  /** The condition that fires the alert. */
  readonly if: Condition;
  /** The window that the condition is evaluated over, `"1m"` to `"25h"`. */
  readonly every: Duration;
  /**
   * The time for which the condition must hold before the alert fires, at most `"24h"`. By default it fires
   * immediately.
   */
  readonly for?: Duration;
  /** The channels to notify. */
  readonly notify: readonly [ChannelDeclaration, ...ChannelDeclaration[]];
}

/** The result of `Alert`. */
export interface AlertDeclaration {
  /** @internal */
  readonly kind: "alert";
  /** The name of the alert. */
  readonly name: string;
  /** @internal Undefined in a built service, which never reads it. */
  readonly config: AlertConfig | undefined;
}

/**
 * Declares an alert, which notifies channels when a condition holds: `export const orderErrors = Alert("order-errors",
 * { if: ratio(placeOrder, "5xx").above(0.02), every: "5m", for: "10m", notify: [oncall] })`.
 */
export function Alert(name: string, config: AlertConfig): AlertDeclaration {
  return recordDeclaration({ kind: "alert", name, config } as const);
}
