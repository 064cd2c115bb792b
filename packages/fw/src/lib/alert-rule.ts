/** An alert with all references resolved, ready to be evaluated and deployed. Times are in milliseconds. */
export interface AlertRule {
  readonly name: string;
  readonly condition: AlertCondition;
  /** The length of the window that the condition covers. */
  readonly every: number;
  /** How long the condition must hold before the alert fires; 0 to fire immediately. */
  readonly for: number;
  readonly notify: readonly string[];
}

export type AlertCondition =
  /** The number of events per second. */
  | ({ readonly kind: "rate"; readonly of: Series } & Threshold)
  /** `of` divided by `to`. */
  | ({ readonly kind: "ratio"; readonly of: Series; readonly to: Series } & Threshold)
  /** The value below which the fraction `quantile` of all values lies. */
  | ({ readonly kind: "percentile"; readonly of: Series; readonly quantile: number } & Threshold)
  /** True if no event was counted. */
  | { readonly kind: "absent"; readonly of: Series };

export interface Threshold {
  readonly comparison: "above" | "below";
  readonly threshold: number;
  /** The threshold as written in the source, such as `1 / 3`; absent if the source has a plain number. */
  readonly thresholdText?: string;
}

/** The sum of all series of a metric that have these labels, across instances. */
export interface Series {
  readonly metric: string;
  readonly kind: "counter" | "histogram";
  /** The service whose values count; absent for all services. */
  readonly service?: string;
  readonly labels: Readonly<Record<string, string>>;
}

export const statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

export type StatusClass = (typeof statusClasses)[number];

/** Describes a condition briefly: `ratio of POST /orders 5xx above 0.02`. */
export function conditionText(condition: AlertCondition): string {
  const { kind, of } = condition;
  const measured = [kind === "percentile" ? `percentile ${condition.quantile}` : kind, "of", seriesText(of)];
  if (kind === "ratio" && condition.to.metric !== of.metric) measured.push("to", seriesText(condition.to));
  if (kind !== "absent") measured.push(condition.comparison, condition.thresholdText ?? String(condition.threshold));
  return measured.join(" ");
}

function seriesText({ metric, labels }: Series): string {
  const { route = metric, status } = labels;
  return status === undefined ? route : `${route} ${status}`;
}
