import type { Clock } from "../../contract.ts";
import { emptyLog } from "../empty-log.ts";
import type { OpenMark } from "../open-mark.ts";
import type { ObjectFiles } from "../objects-files.ts";
import type { Database } from "../sqlite.ts";

/** A moment of the data that another process can copy until it is let go. */
export interface HeldMoment {
  readonly at: Date;
  release(): void;
}

/** The open store whose moments are held. */
interface MomentParts {
  readonly database: Database;
  readonly mark: OpenMark | undefined;
  readonly files: ObjectFiles;
  readonly clock: Clock;
}

/** Pages in the log from which on SQLite brings them to the store by itself. */
const ownCheckpoint = 1_000;

/**
 * Holds moments of a store. What is committed later stays in the log, so that the file of the store is that of the moment, and the files
 * of objects that are replaced or deleted later stay where they are.
 */
export class Moments {
  readonly #parts: MomentParts;
  #held: { readonly moment: HeldMoment; by: number } | undefined;

  constructor(parts: MomentParts) {
    this.#parts = parts;
  }

  /** In one turn, so that no commit is in between. While one moment is held, another is the same one. */
  hold(): HeldMoment {
    this.#held ??= { moment: this.#begin(), by: 0 };
    const held = this.#held;
    held.by++;
    let released = false;
    return {
      at: held.moment.at,
      release: () => {
        if (released) return;
        released = true;
        if (--held.by > 0) return;
        this.#held = undefined;
        held.moment.release();
      },
    };
  }

  #begin(): HeldMoment {
    const { database, mark, files, clock } = this.#parts;
    if (!emptyLog(database, mark)) throw new Error("the log of the store cannot be brought to it now");
    this.#checkpointAt(0);
    const release = files.hold();
    return {
      at: new Date(clock.now()),
      release: () => {
        this.#checkpointAt(ownCheckpoint);
        release();
      },
    };
  }

  #checkpointAt(pages: number): void {
    this.#parts.database.prepare(`PRAGMA wal_autocheckpoint = ${pages}`).get();
  }
}
