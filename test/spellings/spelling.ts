/**
 * One way to say something: code before it, and the expression that stands for it. In both, `@` is what is spelled and `#` a
 * number of its own.
 */
export interface Spelling {
  /** Code of the module, before it is used. */
  readonly before?: string;
  readonly use: string;
  /** Files beside the module, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Numbers that follow from a seed. */
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
