import type { AlertRule } from "../../../lib/alert-rule.ts";
import type { LogSink } from "../log.ts";
import { AlertWatch, changeRecord, type CountedIn } from "./watch.ts";

/** Milliseconds after which an alert that is due is looked at, at most. */
const delayMs = 1_000;

interface AlertTellerOptions {
  readonly counted: CountedIn;
  /** Resolves when `counted` has what is counted elsewhere. */
  readonly collect?: () => Promise<void>;
  readonly log: LogSink;
  /** Which alerts fire has changed. */
  readonly changed?: () => void;
}

/** Which alerts of a running application fire, told in the log when one begins and when it ends. */
export class AlertTeller {
  readonly #watch: AlertWatch;
  readonly #options: AlertTellerOptions;
  #timer: NodeJS.Timeout | undefined;
  #looks = false;

  constructor(options: AlertTellerOptions) {
    this.#options = options;
    this.#watch = new AlertWatch(options.counted, performance.now());
  }

  /** From now on these are the application's. */
  use(rules: readonly AlertRule[]): void {
    this.#watch.use(rules, performance.now());
    this.end();
    if (rules.length > 0) this.#timer = setInterval(() => void this.#look(), delayMs).unref();
  }

  firing(): readonly string[] {
    return this.#watch.firing();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { collect, log, changed } = this.#options;
    if (this.#looks || !this.#watch.isDue(performance.now())) return;
    if (collect !== undefined) {
      this.#looks = true;
      await collect();
      this.#looks = false;
    }
    const changes = this.#watch.catchUp(performance.now());
    const offset = Date.now() - performance.now();
    for (const change of changes) log(changeRecord({ ...change, at: change.at + offset }));
    if (changes.length > 0) changed?.();
  }
}
