import { Signal } from "../lib/signal.ts";

/** An entry in the queue for one name. */
interface Turn {
  readonly start: Signal;
  readonly end: Signal;
}

/** Timeouts for waiting, in milliseconds; unlimited by default. */
export interface LockTimeouts {
  /** The timeout for each holder ahead in the queue. A holder that exceeds it is skipped. */
  readonly each?: number;
  /** The timeout for all holders together. */
  readonly all?: number;
}

/** Mutexes within this process, identified by name and acquired in the order of the calls. */
export class KeyedMutex {
  readonly #last = new Map<string, Turn>();

  /**
   * Resolves when all earlier holders have released the name or the timeouts have passed. Call the returned function to
   * release it.
   */
  async lock(name: string, { each, all }: LockTimeouts): Promise<() => void> {
    const before = this.#last.get(name);
    const turn = { start: new Signal(), end: new Signal() };
    this.#last.set(name, turn);
    if (before !== undefined)
      await atMost(
        before.start.raised.then(() => atMost(before.end.raised, each)),
        all,
      );
    turn.start.raise();
    return () => {
      if (this.#last.get(name) === turn) this.#last.delete(name);
      turn.end.raise();
    };
  }
}

async function atMost(turn: Promise<void>, milliseconds: number | undefined): Promise<void> {
  if (milliseconds === undefined) return turn;
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([turn, new Promise<void>((done) => (timer = setTimeout(done, milliseconds)))]);
  clearTimeout(timer);
}
