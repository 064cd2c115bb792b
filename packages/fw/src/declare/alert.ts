import type { StatusClass } from "../lib/alert-rule.ts";
import type { ChannelDeclaration } from "./channel.ts";
import { declared } from "./declared.ts";
import type { EndpointDeclaration } from "./endpoint.ts";
import type { CounterDeclaration, HistogramDeclaration } from "./metric.ts";
import type { Duration } from "./duration.ts";

/** When an alert fires, as `rate`, `ratio`, `percentile` and `absent` make it. */
export interface Condition {
  /** @internal */
  readonly kind: "condition";
  /** @internal What of it is constants: the analysis has read them. */
  readonly constants: Readonly<Record<string, string | number>>;
}

/** A number that an alert looks at, to be compared. */
export interface Measure {
  /** Holds while the number is greater. */
  above(threshold: number): Condition;
  /** Holds while the number is less. */
  below(threshold: number): Condition;
}

export type { StatusClass };

/** The labels of an endpoint's requests. */
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

/** What a counter is added a second, how often a histogram observes, or how many requests an endpoint answers: `rate(signUp).above(50)`. */
export function rate(subject: EndpointDeclaration, labels?: RequestLabels): Measure;
export function rate(subject: Metric): Measure;
export function rate(_subject: EndpointDeclaration | Metric, _labels?: RequestLabels): Measure {
  return measure({ measure: "rate" });
}

/** The share of an endpoint's answers that are of a class, `ratio(placeOrder, "5xx").above(0.02)`; or what one counter is of another. */
export function ratio(subject: EndpointDeclaration, status: StatusClass): Measure;
export function ratio(part: CounterDeclaration, whole: CounterDeclaration): Measure;
export function ratio(
  _subject: EndpointDeclaration | CounterDeclaration,
  _other: StatusClass | CounterDeclaration,
): Measure {
  return measure({ measure: "ratio" });
}

/**
 * The value that a share of all values is not above: `percentile(uploadBytes, 0.95).above(100_000)`. Of an endpoint, how long its
 * answers take, in milliseconds.
 */
export function percentile(_subject: EndpointDeclaration | HistogramDeclaration, quantile: number): Measure {
  return measure({ measure: "percentile", quantile });
}

/** Nothing happened: no request of an endpoint, nothing counted or observed. */
export function absent(subject: EndpointDeclaration, labels?: RequestLabels): Condition;
export function absent(subject: Metric): Condition;
export function absent(_subject: EndpointDeclaration | Metric, _labels?: RequestLabels): Condition {
  return condition({ measure: "absent" });
}

/** Settings of an alert, written as a literal. */
export interface AlertConfig {
  /** When it fires. */
  readonly if: Condition;
  /** The window that the condition looks back on, `"1m"` to `"25h"`. */
  readonly every: Duration;
  /** How long the condition has to hold, at most `"24h"`; at once by default. */
  readonly for?: Duration;
  /** Who is told. */
  readonly notify: readonly [ChannelDeclaration, ...ChannelDeclaration[]];
}

/** What `Alert` makes. */
export interface AlertDeclaration {
  /** @internal */
  readonly kind: "alert";
  /** Its name. */
  readonly name: string;
  /** @internal A service goes without: nothing reads it when it runs. */
  readonly config: AlertConfig | undefined;
}

/**
 * Tells people when something is wrong: `export const orderErrors = Alert("order-errors", { if: ratio(placeOrder, "5xx").above(0.02),
 * every: "5m", for: "10m", notify: [oncall] })`.
 */
export function Alert(name: string, config: AlertConfig): AlertDeclaration {
  return declared({ kind: "alert", name, config } as const);
}
