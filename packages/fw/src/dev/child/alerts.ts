import { AlertWatch, changeRecord, type Bundle, type LogSink, type MetricStore } from "../../runtime/index.ts";

/** Milliseconds after which an alert that is due is looked at, at most. */
const delayMs = 1_000;

/** Which alerts of the running application fire, told in the log when one begins and when it ends. */
export class DevAlerts {
  readonly #watch: AlertWatch;
  readonly #log: LogSink;
  #timer: NodeJS.Timeout | undefined;

  constructor(metrics: MetricStore, log: LogSink) {
    this.#watch = new AlertWatch(() => metrics.snapshot());
    this.#log = log;
  }

  /** From now on these are the application's. */
  use({ alerts = [] }: Bundle): void {
    this.#watch.use(alerts);
    clearInterval(this.#timer);
    if (alerts.length > 0) this.#timer = setInterval(() => this.#look(), delayMs).unref();
  }

  firing(): readonly string[] {
    return this.#watch.firing();
  }

  #look(): void {
    for (const change of this.#watch.catchUp(Date.now())) this.#log(changeRecord(change));
  }
}
