import type { AlertCondition, AlertRule, Series } from "../../../lib/alert-rule.ts";
import { percentileOf } from "../metrics/buckets.ts";
import type { Increase } from "./history.ts";

/** Where an alert stands. */
export interface AlertState {
  /** Since when its condition holds, without a break; undefined while it does not. */
  readonly since?: number;
  readonly firing: boolean;
}

/** What was counted of a series within the window of an alert. */
export type Counted = (series: Series, window: number) => Increase;

/** Where an alert stands after one more look at what was counted. */
export function evaluate(rule: AlertRule, counted: Counted, now: number, { since = now }: AlertState): AlertState {
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
