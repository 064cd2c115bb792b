import type { HeldLimits, Limits } from "../lib/limited.ts";
import { knownPattern } from "../lib/pattern/pattern.ts";

/** The limits that the functions of one module hold values to, each made once. */
export class KeptLimits {
  /** The constants so far. */
  readonly lines: string[] = [];
  readonly #names = new Map<string, string>();

  /** The name of the constant that has them. */
  nameOf(limits: Limits): string {
    const written = JSON.stringify(heldLimits(limits));
    const name = this.#names.get(written) ?? `limits${this.lines.length}`;
    if (!this.#names.has(written)) this.lines.push(`const ${name} = ${written};`);
    this.#names.set(written, name);
    return name;
  }
}

/** Limits with the automaton of their pattern, which is made here once for all texts. */
export function heldLimits({ pattern, ...others }: Limits): HeldLimits {
  return pattern === undefined ? others : { ...others, pattern: knownPattern(pattern) };
}
