import { Signal } from "../lib/signal.ts";

/** Somebody's turn. */
interface Turn {
  readonly begun: Signal;
  readonly over: Signal;
}

/** How long others are waited for, in milliseconds; without end by default. */
export interface LockTimeouts {
  /** With each of those before who has their turn; one who keeps it for longer is passed over. */
  readonly each?: number;
  /** With all of them. */
  readonly all?: number;
}

/** First come, first served, by name, within this process. */
export class KeyedMutex {
  readonly #last = new Map<string, Turn>();

  /** Resolves when all who asked before have given their turn back, or the timeouts are over; then call the result to release it. */
  async lock(name: string, { each, all }: LockTimeouts): Promise<() => void> {
    const before = this.#last.get(name);
    const turn = { begun: new Signal(), over: new Signal() };
    this.#last.set(name, turn);
    if (before !== undefined)
      await atMost(
        before.begun.given.then(() => atMost(before.over.given, each)),
        all,
      );
    turn.begun.give();
    return () => {
      if (this.#last.get(name) === turn) this.#last.delete(name);
      turn.over.give();
    };
  }
}

async function atMost(turn: Promise<void>, milliseconds: number | undefined): Promise<void> {
  if (milliseconds === undefined) return turn;
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([turn, new Promise<void>((done) => (timer = setTimeout(done, milliseconds)))]);
  clearTimeout(timer);
}
