/** An alert as it is evaluated and deployed: nothing is left to resolve. Times in milliseconds. */
export interface AlertRule {
  readonly name: string;
  readonly condition: AlertCondition;
  /** The window that the condition looks back on. */
  readonly every: number;
  /** How long the condition has to hold before the alert fires; 0 for at once. */
  readonly for: number;
  /** The names of the channels to notify. */
  readonly notify: readonly string[];
}

export type AlertCondition =
  /** The number of events per second. */
  | ({ readonly kind: "rate"; readonly of: Series } & Threshold)
  /** The share of `of` in `to`. */
  | ({ readonly kind: "ratio"; readonly of: Series; readonly to: Series } & Threshold)
  /** The value that a share of all values is not above. */
  | ({ readonly kind: "percentile"; readonly of: Series; readonly quantile: number } & Threshold)
  /** Nothing was counted. */
  | { readonly kind: "absent"; readonly of: Series };

export interface Threshold {
  readonly comparison: "above" | "below";
  readonly threshold: number;
}

/** A sum over all series of a metric with these labels, across instances. */
export interface Series {
  readonly metric: string;
  readonly kind: "counter" | "histogram";
  /** The one service whose values count; absent for those of all. */
  readonly service?: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The classes of answers, as the label `status` has them. */
export const statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

export type StatusClass = (typeof statusClasses)[number];

/** A condition in a few words: `ratio of POST /orders 5xx above 0.02`. */
export function conditionText(condition: AlertCondition): string {
  const { kind, of } = condition;
  const measured = [kind === "percentile" ? `percentile ${condition.quantile}` : kind, "of", seriesText(of)];
  if (kind === "ratio" && condition.to.metric !== of.metric) measured.push("to", seriesText(condition.to));
  if (kind !== "absent") measured.push(condition.comparison, String(condition.threshold));
  return measured.join(" ");
}

function seriesText({ metric, labels }: Series): string {
  const { route = metric, status } = labels;
  return status === undefined ? route : `${route} ${status}`;
}
