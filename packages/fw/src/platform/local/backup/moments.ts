import type { Clock } from "../../contract.ts";
import { emptyLog } from "../empty-log.ts";
import type { OpenMark } from "../open-mark.ts";
import type { ObjectFiles } from "../objects-files.ts";
import type { Database } from "../sqlite.ts";

/** A snapshot of the data that another process can copy until it is released. */
export interface HeldMoment {
  readonly at: Date;
  release(): void;
}

/** The parts of an open store that a snapshot needs. */
interface MomentParts {
  readonly database: Database;
  readonly mark: OpenMark | undefined;
  readonly files: ObjectFiles;
  readonly clock: Clock;
}

/** SQLite's default number of log pages before an automatic checkpoint. */
const defaultCheckpointPages = 1_000;

/**
 * Holds snapshots of a store. While one is held, commits stay in the log, so the store file does not change, and files
 * of replaced or deleted objects remain.
 */
export class Moments {
  readonly #parts: MomentParts;
  #current: { readonly moment: HeldMoment; by: number } | undefined;

  constructor(parts: MomentParts) {
    this.#parts = parts;
  }

  /** Takes a snapshot synchronously, so that no commit can intervene. While it is held, further calls share it. */
  hold(): HeldMoment {
    this.#current ??= { moment: this.#begin(), by: 0 };
    const current = this.#current;
    current.by++;
    let isReleased = false;
    return {
      at: current.moment.at,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        if (--current.by > 0) return;
        this.#current = undefined;
        current.moment.release();
      },
    };
  }

  #begin(): HeldMoment {
    const { database, mark, files, clock } = this.#parts;
    if (!emptyLog(database, mark)) throw new Error("cannot checkpoint the store now: another process reads from it");
    this.#checkpointAt(0);
    const release = files.hold();
    return {
      at: new Date(clock.now()),
      release: () => {
        this.#checkpointAt(defaultCheckpointPages);
        release();
      },
    };
  }

  #checkpointAt(pages: number): void {
    this.#parts.database.prepare(`PRAGMA wal_autocheckpoint = ${pages}`).get();
  }
}
