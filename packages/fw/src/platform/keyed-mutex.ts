/** Somebody's turn. */
interface Turn {
  readonly begun: Promise<void>;
  readonly over: Promise<void>;
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
    const [begun, begin] = event();
    const [over, end] = event();
    const turn = { begun, over };
    this.#last.set(name, turn);
    if (before !== undefined)
      await atMost(
        before.begun.then(() => atMost(before.over, each)),
        all,
      );
    begin();
    return () => {
      if (this.#last.get(name) === turn) this.#last.delete(name);
      end();
    };
  }
}

/** What resolves when it is told to. */
function event(): [happened: Promise<void>, tell: () => void] {
  let resolve: (() => void) | undefined;
  const happened = new Promise<void>((done) => (resolve = done));
  return [happened, () => resolve?.()];
}

async function atMost(turn: Promise<void>, milliseconds: number | undefined): Promise<void> {
  if (milliseconds === undefined) return turn;
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([turn, new Promise<void>((done) => (timer = setTimeout(done, milliseconds)))]);
  clearTimeout(timer);
}
