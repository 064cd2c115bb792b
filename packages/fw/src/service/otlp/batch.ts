import { telemetryBatch, telemetryBatchMs, telemetryWaiting } from "../../lib/limits.ts";
import { roughBytes } from "../../lib/rough-bytes.ts";
import type { Exporter } from "./packages.ts";

type Tell = (sentence: string, fields: Readonly<Record<string, unknown>>) => void;

/** Bytes of what waits, about; with the batch that is being sent, there may be twice as much. */
const mostBytes = 16_000_000;

/** Collects what happens and sends it together, after some seconds or when there is much of it. */
export class Batch {
  readonly #exporter: Exporter<readonly object[]>;
  readonly #tell: Tell;
  readonly #what: string;
  #waiting: object[] = [];
  /** Of what waits, about. */
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #lost = 0;
  #failing = false;

  /** `tell` takes a sentence once, until sending works again. */
  constructor(what: string, exporter: Exporter<readonly object[]>, tell: Tell) {
    this.#what = what;
    this.#exporter = exporter;
    this.#tell = tell;
  }

  /** Never fails and never waits; beyond what may wait, it is left out. */
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

  /** Resolves when everything that was added so far was sent, or could not be. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#sending ??= this.#send().finally(() => (this.#sending = undefined)));
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      const sent = this.#waiting.splice(0, telemetryBatch);
      this.#bytes = this.#waiting.reduce((sum, record) => sum + roughBytes(record), 0);
      const { code, error } = await this.#export(sent);
      if (code !== 0) this.#lost += sent.length;
      this.#report(code === 0 ? undefined : (error ?? new Error("the collector did not take them")));
    }
  }

  #export(sent: readonly object[]): Promise<{ readonly code: number; readonly error?: Error }> {
    return new Promise((resolve) => {
      try {
        this.#exporter.export(sent, resolve);
      } catch (error) {
        resolve({ code: 1, error: error as Error });
      }
    });
  }

  #report(error: Error | undefined): void {
    if (error !== undefined && !this.#failing) {
      this.#tell(`${this.#what} were not exported, and are lost until the collector takes them`, { error });
    }
    if (error === undefined && this.#lost > 0) {
      this.#tell(`${this.#what} are exported again; some were lost`, { lost: this.#lost });
      this.#lost = 0;
    }
    this.#failing = error !== undefined;
  }
}
