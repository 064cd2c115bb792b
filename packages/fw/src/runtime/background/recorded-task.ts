import { Fault } from "../../declare/errors.ts";
import type { RecordedRun } from "../../declare/run.ts";
import { messageOf } from "../../lib/thrown.ts";
import { changesOf } from "../../platform/changes.ts";
import type { Platform } from "../../platform/contract.ts";
import { DeadlinePassed } from "../../platform/deadline.ts";
import type { Delivery } from "../../platform/messages.ts";
import { isMisfit } from "../../platform/misfit.ts";
import { runKind } from "./kinds.ts";
import {
  beginTask,
  endTask,
  reportTask,
  stopTime,
  type Outcome,
  type Report,
  type TaskAttempt,
} from "./run-records.ts";

/** Limit: milliseconds between two records of a task's progress, multiplied by the run's number of tasks. */
const recordEveryMs = 1_000;

/** Milliseconds between a failed check for a cancellation and the next one. */
const lookAgainMs = 1_000;

/** The abort reason of a handler's signal if its run is canceled. */
class RunCancelled extends Error {
  constructor() {
    super("the run was cancelled");
    this.name = "RunCancelled";
  }
}

/** The additional parts of a delivery that the handler of a recorded task gets. */
export interface TaskControls extends Pick<RecordedRun, "progress"> {
  /** Aborts with the delivery, and when the run is canceled. */
  readonly signal: AbortSignal;
  /** Aborts with the delivery, and when the time to stop after a cancellation is up. */
  readonly ending: AbortSignal;
}

export interface RecordedWork {
  readonly attempt: TaskAttempt;
  readonly work: (controls: TaskControls) => Promise<void>;
  /** Called if the result could not be recorded. */
  readonly notRecorded: (error: unknown) => void;
}

/**
 * Runs an attempt of a task and records its start, reports and result. Resolves without running it if the task is done
 * or its run is canceled. Rejects like the work, unless its run was canceled. Also rejects if the result cannot be
 * recorded, so the task runs again.
 */
export async function runRecorded(
  platform: Platform,
  { signal }: Pick<Delivery, "signal">,
  { attempt, work, notRecorded }: RecordedWork,
): Promise<void> {
  if (!(await beginTask(platform, attempt))) return;
  const task = new RecordedTask(platform, attempt, signal);
  const result = await task.run(work).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  try {
    if (task.isCancelled) await task.end({ state: "cancelled" });
    else await task.end(result === undefined ? { state: "done" } : outcomeOf(attempt, signal, result.error));
  } catch (error) {
    notRecorded(error);
    // Let the task run again, so its run does not remain open.
    throw result === undefined || task.isCancelled ? error : result.error;
  }
  if (result !== undefined && !task.isCancelled) throw result.error;
}

/**
 * Returns the outcome of a failed attempt. A delivery that is returned because the process stops, or that waits for
 * other code, does not count as an attempt.
 */
function outcomeOf({ isLast }: TaskAttempt, { aborted, reason }: AbortSignal, error: unknown): Outcome {
  const isReturned = (aborted && !(reason instanceof DeadlinePassed)) || isMisfit(error);
  return { state: isLast && !isReturned ? "failed" : "waiting", error: messageOf(error) };
}

class RecordedTask {
  readonly #platform: Platform;
  readonly #attempt: TaskAttempt;
  readonly #delivery: AbortSignal;
  readonly #signal = new AbortController();
  readonly #ending = new AbortController();
  /** Aborts once the attempt has ended. */
  readonly #done = new AbortController();
  #report: Report | undefined;
  #unwritten: Report | undefined;
  #writing: Promise<void> | undefined;
  #isLooking = false;
  isCancelled = false;

  constructor(platform: Platform, attempt: TaskAttempt, delivery: AbortSignal) {
    this.#platform = platform;
    this.#attempt = attempt;
    this.#delivery = delivery;
  }

  /**
   * Runs the work. Rejects at the deadline. After a cancellation, resolves when the time to stop is up, even if the
   * work continues.
   */
  async run(work: RecordedWork["work"]): Promise<void> {
    const { signal: ending } = this.#ending;
    const over = new Promise<void>((resolve, reject) => {
      ending.addEventListener("abort", () => {
        if (this.isCancelled) resolve();
        else if (ending.reason instanceof DeadlinePassed) reject(ending.reason);
      });
    });
    this.#follow();
    await Promise.race([work({ signal: this.#signal.signal, ending, progress: this.#progress }), over]);
  }

  async end(outcome: Outcome): Promise<void> {
    this.#done.abort();
    await this.#writing;
    await endTask(this.#platform, this.#attempt, outcome, this.#report);
  }

  readonly #progress = (share: number, note?: string): void => {
    if (typeof share !== "number" || !(share >= 0 && share <= 1))
      throw new Fault(`job ${this.#attempt.job}: progress must be a number from 0 to 1, not ${String(share)}`);
    this.#report = this.#unwritten = { progress: share, note: note ?? this.#report?.note };
    this.#writing ??= this.#write();
  };

  /** Writes the latest report, then pauses. If a write fails, the next record includes the report. */
  async #write(): Promise<void> {
    const { clock } = this.#platform;
    const { signal } = this.#done;
    while (this.#unwritten !== undefined && !signal.aborted) {
      const report = this.#unwritten;
      this.#unwritten = undefined;
      await reportTask(this.#platform, this.#attempt, report).catch(() => {});
      await clock.sleep(recordEveryMs * this.#attempt.tasks, signal, { background: true }).catch(() => {});
    }
    this.#writing = undefined;
  }

  /** Forwards an abort of the delivery, and watches for a cancellation until the attempt has ended. */
  #follow(): void {
    const abort = (): void => {
      this.#signal.abort(this.#delivery.reason);
      this.#ending.abort(this.#delivery.reason);
    };
    const { signal } = this.#done;
    if (this.#delivery.aborted) abort();
    this.#delivery.addEventListener("abort", abort, { once: true, signal });
    const changed = (keys: readonly { readonly id: string }[] | undefined): void => {
      if (keys === undefined || keys.some(({ id }) => id === this.#attempt.run)) void this.#look();
    };
    changesOf(this.#platform).watch([runKind], changed, signal);
    void this.#look();
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.isCancelled || this.#done.signal.aborted) return;
    this.#isLooking = true;
    try {
      const stop = await stopTime(this.#platform.entities, this.#attempt.run);
      if (stop !== undefined) void this.#cancel(stop);
    } catch {
      void this.#lookAgain();
    } finally {
      this.#isLooking = false;
    }
  }

  async #lookAgain(): Promise<void> {
    const { signal } = this.#done;
    await this.#platform.clock.sleep(lookAgainMs, signal, { background: true }).catch(() => {});
    await this.#look();
  }

  async #cancel(stop: number): Promise<void> {
    const { clock } = this.#platform;
    const { signal } = this.#done;
    if (signal.aborted || this.#signal.signal.aborted) return;
    this.isCancelled = true;
    this.#signal.abort(new RunCancelled());
    const left = Math.max(0, stop - clock.now());
    await clock.sleep(left, signal).catch(() => {});
    if (!signal.aborted) this.#ending.abort(new DeadlinePassed(left));
  }
}
