import { roughBytes } from "../../lib/rough-bytes.ts";
import type { Exporter } from "./packages.ts";

/** Limit: spans or log lines in one export to a collector. */
const telemetryBatch = 512;

/** Limit: milliseconds after which spans and log lines are exported. */
const telemetryBatchMs = 5_000;

/** Limit: spans or log lines waiting for export; any more are dropped. */
const telemetryWaiting = 4_096;

type Warn = (sentence: string, fields: Readonly<Record<string, unknown>>) => void;

/** The approximate maximum of waiting bytes. Up to twice as much is in memory while a batch is being sent. */
const mostBytes = 16_000_000;

/** Collects records and sends them in batches: after a few seconds, or as soon as a batch is full. */
export class Batch {
  readonly #exporter: Exporter<readonly object[]>;
  readonly #warn: Warn;
  readonly #plural: string;
  #waiting: object[] = [];
  /** The approximate size of the waiting records. */
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #lost = 0;
  #failing = false;

  /** `warn` receives a message for the first of consecutive failures, and for the first success after losses. */
  constructor(plural: string, exporter: Exporter<readonly object[]>, warn: Warn) {
    this.#plural = plural;
    this.#exporter = exporter;
    this.#warn = warn;
  }

  /** Adds a record without waiting. Never throws; drops the record if too many are waiting. */
  add(record: object): void {
    const bytes = roughBytes(record);
    if (this.#waiting.length >= telemetryWaiting || this.#bytes + bytes > mostBytes) {
      this.#lost++;
      return;
    }
    this.#waiting.push(record);
    this.#bytes += bytes;
    if (this.#waiting.length >= telemetryBatch) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), telemetryBatchMs).unref();
  }

  /** Resolves when every record added so far has been sent or has failed. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#sending ??= this.#send().finally(() => (this.#sending = undefined)));
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      const records = this.#waiting.splice(0, telemetryBatch);
      this.#bytes = this.#waiting.reduce((sum, record) => sum + roughBytes(record), 0);
      const { code, error } = await this.#export(records);
      if (code !== 0) this.#lost += records.length;
      this.#report(code === 0 ? undefined : (error ?? new Error("the collector did not accept them")));
    }
  }

  #export(records: readonly object[]): Promise<{ readonly code: number; readonly error?: Error }> {
    return new Promise((resolve) => {
      try {
        this.#exporter.export(records, resolve);
      } catch (error) {
        resolve({ code: 1, error: error as Error });
      }
    });
  }

  #report(error: Error | undefined): void {
    if (error !== undefined && !this.#failing) {
      this.#warn(`${this.#plural} could not be exported and are lost until the collector accepts them`, { error });
    }
    if (error === undefined && this.#lost > 0) {
      this.#warn(`${this.#plural} are exported again; some were lost`, { lost: this.#lost });
      this.#lost = 0;
    }
    this.#failing = error !== undefined;
  }
}
