import { assertNever } from "./assert-never.ts";
import type { AlertCondition, Series, Threshold } from "./alert-rule.ts";
import type { ChartLine } from "./metric-charts.ts";

/** Formats the selector of a series' events, or, with a suffix, of a histogram's buckets. */
type Selector = (series: Series, suffix?: "_bucket") => string;

/** Formats PromQL expressions for the series that a selector names. The label `by`, if present, groups the results. */
export class PromQL {
  readonly #select: Selector;

  constructor(select: Selector) {
    this.#select = select;
  }

  /** Returns the events per second of a counter, or the values per second of a histogram. */
  eventRate(series: Series, window: string, by?: string): string {
    return `sum${by === undefined ? "" : ` by (${by}) `}(rate(${this.#select(series)}[${window}]))`;
  }

  /** Returns a quantile, estimated from a histogram's buckets. */
  quantile(share: number, series: Series, window: string, by?: string): string {
    const labels = by === undefined ? "le" : `${by}, le`;
    return `histogram_quantile(${share}, sum by (${labels}) (rate(${this.#select(series, "_bucket")}[${window}])))`;
  }

  chartLine(line: ChartLine, window: string): string {
    const { by } = line;
    if (line.kind === "quantile") return this.quantile(line.quantile, line.of, window, by);
    const rate = this.eventRate(line.of, window, by);
    return line.kind === "rate" ? rate : `${rate} / ${this.eventRate(line.to, window, by)}`;
  }

  /**
   * Returns an expression that has a result while the condition holds. A series without any event does not exist, so it
   * counts as 0. `absent` checks whether the total grows, because an instance also exports totals that no longer grow.
   */
  condition(condition: AlertCondition, window: string): string {
    const { kind, of } = condition;
    switch (kind) {
      case "rate":
        return compare(orZero(this.eventRate(of, window)), condition);
      case "ratio":
        // Without events, the quotient is NaN, so every comparison is false.
        return compare(`${orZero(this.eventRate(of, window))} / ${this.eventRate(condition.to, window)}`, condition);
      case "percentile":
        return compare(this.quantile(condition.quantile, of, window), condition);
      case "absent":
        return `${orZero(`sum(increase(${this.#select(of)}[${window}]))`)} == 0`;
      default:
        return assertNever(kind);
    }
  }
}

function orZero(query: string): string {
  return `(${query} or vector(0))`;
}

function compare(query: string, { comparison, threshold }: Threshold): string {
  return `${query} ${comparison === "above" ? ">" : "<"} ${threshold}`;
}
