import type { Series } from "./alert-rule.ts";
import type { ChartLine } from "./metric-charts.ts";

/** Formats the selector of a series: of its events, or with a suffix, of a histogram's buckets. */
type Selector = (series: Series, suffix?: "_bucket") => string;

/** Formats PromQL expressions for the series that a selector names. Each groups by the label `by`, if present. */
export class PromQL {
  readonly #select: Selector;

  constructor(select: Selector) {
    this.#select = select;
  }

  /** The events per second of a counter, or the values per second of a histogram. */
  eventRate(series: Series, window: string, by?: string): string {
    return `sum${by === undefined ? "" : ` by (${by}) `}(rate(${this.#select(series)}[${window}]))`;
  }

  /** A quantile, estimated from a histogram's buckets. */
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
}
