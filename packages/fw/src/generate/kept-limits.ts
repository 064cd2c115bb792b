import type { HeldLimits, Limits } from "../lib/limited.ts";
import { knownPattern } from "../lib/pattern/pattern.ts";

/** The limits that the functions of one module hold values to, each made once. */
export interface KeptLimits {
  /** The name of the constant that has them. */
  readonly nameOf: (limits: Limits) => string;
  /** The constants so far. */
  readonly lines: readonly string[];
}

export function keptLimits(): KeptLimits {
  const lines: string[] = [];
  const names = new Map<string, string>();
  const nameOf = (limits: Limits): string => {
    const written = JSON.stringify(heldLimits(limits));
    const name = names.get(written) ?? `limits${lines.length}`;
    if (!names.has(written)) lines.push(`const ${name} = ${written};`);
    names.set(written, name);
    return name;
  };
  return { nameOf, lines };
}

/** Limits with the automaton of their pattern, which is made here once for all texts. */
export function heldLimits({ pattern, ...others }: Limits): HeldLimits {
  return pattern === undefined ? others : { ...others, pattern: knownPattern(pattern) };
}
