/**
 * One spelling: code that comes first, and the expression. In both, `@` is the spelled part and `#` is a unique number.
 */
export interface Spelling {
  /** The module's code before the use. */
  readonly before?: string;
  readonly use: string;
  /** Additional files next to the module, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Returns a pseudorandom integer from 0 up to, but not including, `below`. */
export type Random = (below: number) => number;

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
