import type { Series } from "./alert-rule.ts";
import type { ChartLine } from "./metric-charts.ts";

/** Writes the selector of a series: its events, or with a suffix those of a histogram's buckets. */
type Selector = (series: Series, suffix?: "_bucket") => string;

/** Writes PromQL expressions about the series that a selector names. Each groups by the label `by`, if there is one. */
export class PromQL {
  readonly #select: Selector;

  constructor(select: Selector) {
    this.#select = select;
  }

  /** Events per second of a counter, or values per second of a histogram. */
  eventRate(series: Series, window: string, by?: string): string {
    return `sum${by === undefined ? "" : ` by (${by}) `}(rate(${this.#select(series)}[${window}]))`;
  }

  /** An estimate of a quantile from a histogram's buckets. */
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
