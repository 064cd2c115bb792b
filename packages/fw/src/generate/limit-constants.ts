import type { HeldLimits, Limits } from "../lib/limited.ts";
import { knownPattern } from "../lib/pattern/pattern.ts";

/** Constants for limits in one module, without duplicates. */
export class LimitConstants {
  readonly lines: string[] = [];
  readonly #names = new Map<string, string>();

  nameOf(limits: Limits): string {
    const literal = JSON.stringify(compileLimits(limits));
    const name = this.#names.get(literal) ?? `limits${this.lines.length}`;
    if (!this.#names.has(literal)) this.lines.push(`const ${name} = ${literal};`);
    this.#names.set(literal, name);
    return name;
  }
}

/** Compiles the pattern of limits to an automaton, once for all values. */
export function compileLimits({ pattern, ...others }: Limits): HeldLimits {
  return pattern === undefined ? others : { ...others, pattern: knownPattern(pattern) };
}
