import type { AlertRule } from "../../../lib/alert-rule.ts";
import type { LogSink } from "../log.ts";
import { AlertWatch, changeRecord, type SnapshotOf } from "./watch.ts";

/** Milliseconds between checks for due alerts. */
const delayMs = 1_000;

interface AlertReporterOptions {
  readonly snapshotOf: SnapshotOf;
  /** Resolves once `snapshotOf` includes the counts of other processes. */
  readonly collect?: () => Promise<void>;
  readonly log: LogSink;
  /** Called when an alert starts or stops firing. */
  readonly onChange?: () => void;
}

/** Watches the alerts of a running application and logs when one starts or stops firing. */
export class AlertReporter {
  readonly #watch: AlertWatch;
  readonly #options: AlertReporterOptions;
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(options: AlertReporterOptions) {
    this.#options = options;
    this.#watch = new AlertWatch(options.snapshotOf, performance.now());
  }

  use(rules: readonly AlertRule[]): void {
    this.#watch.use(rules, performance.now());
    this.end();
    if (rules.length > 0) this.#timer = setInterval(() => void this.#check(), delayMs).unref();
  }

  firing(): readonly string[] {
    return this.#watch.firing();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    const { collect, log, onChange: changed } = this.#options;
    if (this.#isChecking || !this.#watch.isDue(performance.now())) return;
    if (collect !== undefined) {
      this.#isChecking = true;
      await collect();
      this.#isChecking = false;
    }
    const changes = this.#watch.catchUp(performance.now());
    const offset = Date.now() - performance.now();
    for (const change of changes) log(changeRecord({ ...change, at: change.at + offset }));
    if (changes.length > 0) changed?.();
  }
}
