import { assertNever } from "../assert-never.ts";
import type { Alphabet } from "./alphabet.ts";
import type { Expression } from "./expression.ts";

/** An expression in its simplest form. Equal terms are the same object. */
export interface Term {
  readonly id: number;
  /** True if the term matches the empty string. */
  readonly takesEmpty: boolean;
  readonly shape: Shape;
}

type Shape =
  | { readonly is: "nothing" | "empty" }
  | { readonly is: "one"; readonly classes: ReadonlySet<number> }
  | { readonly is: "then"; readonly first: Term; readonly rest: Term }
  | { readonly is: "any"; readonly terms: readonly Term[] }
  | { readonly is: "repeat"; readonly term: Term; readonly min: number; readonly max: number };

/** The maximum number of terms of one expression, plus alternatives in its choices. */
const mostTerms = 50_000;

/** An expression's terms and their derivatives. */
export class Terms {
  readonly #alphabet: Alphabet;
  readonly #made: Map<string, Term> = new Map();
  readonly #after: Map<Term, (Term | undefined)[]> = new Map();
  readonly #joined: Map<string, Term> = new Map();
  #work = 0;
  readonly nothing: Term;
  readonly #empty: Term;

  constructor(alphabet: Alphabet) {
    this.#alphabet = alphabet;
    this.nothing = this.#term("nothing", { is: "nothing" }, false);
    this.#empty = this.#term("empty", { is: "empty" }, true);
  }

  /** True if there are too many terms. Further results are then meaningless. */
  get isTooLarge(): boolean {
    return this.#work > mostTerms;
  }

  of(expression: Expression): Term {
    switch (expression.is) {
      case "characters":
        return this.#one(this.#alphabet.classesOf(expression.set));
      case "choice":
        return this.#any(expression.parts.map((part) => this.of(part)));
      case "sequence":
        return expression.parts.reduceRight((rest, part) => this.#then(this.of(part), rest), this.#empty);
      case "repeat":
        return this.#repeat(this.of(expression.part), expression.min, expression.max);
      default:
        return assertNever(expression);
    }
  }

  /** Returns what must follow a character of this class (Brzozowski's derivative). */
  after(term: Term, letter: number): Term {
    if (this.isTooLarge) return this.nothing;
    const known = this.#after.get(term) ?? [];
    this.#after.set(term, known);
    return (known[letter] ??= this.#derive(term, letter));
  }

  #derive({ shape }: Term, letter: number): Term {
    switch (shape.is) {
      case "nothing":
      case "empty":
        return this.nothing;
      case "one":
        return shape.classes.has(letter) ? this.#empty : this.nothing;
      case "any":
        return this.#any(shape.terms.map((term) => this.after(term, letter)));
      case "then": {
        const rest = this.#then(this.after(shape.first, letter), shape.rest);
        return shape.first.takesEmpty ? this.#any([rest, this.after(shape.rest, letter)]) : rest;
      }
      case "repeat": {
        const { term, min, max } = shape;
        return this.#then(this.after(term, letter), this.#repeat(term, Math.max(0, min - 1), max - 1));
      }
      default:
        return assertNever(shape);
    }
  }

  #one(classes: ReadonlySet<number>): Term {
    if (classes.size === 0) return this.nothing;
    return this.#term(`one ${[...classes].toSorted((a, b) => a - b).join(",")}`, { is: "one", classes }, false);
  }

  #then(first: Term, rest: Term): Term {
    // Alternatives of a choice share the same continuation.
    const key = `${first.id} ${rest.id}`;
    const existing = this.#joined.get(key);
    if (existing !== undefined) return existing;
    this.#work += 1;
    const made = this.#join(first, rest);
    this.#joined.set(key, made);
    return made;
  }

  #join(first: Term, rest: Term): Term {
    if (first === this.nothing || rest === this.nothing) return this.nothing;
    if (first === this.#empty) return rest;
    if (rest === this.#empty) return first;
    // Distributes over alternatives immediately, which keeps the number of reachable terms small, like Antimirov's
    // partial derivatives.
    if (first.shape.is === "any") return this.#any(first.shape.terms.map((term) => this.#then(term, rest)));
    if (first.shape.is === "then") return this.#then(first.shape.first, this.#then(first.shape.rest, rest));
    const takesEmpty = first.takesEmpty && rest.takesEmpty;
    return this.#term(`then ${first.id} ${rest.id}`, { is: "then", first, rest }, takesEmpty);
  }

  #any(terms: readonly Term[]): Term {
    const flat = terms.flatMap((term) => (term.shape.is === "any" ? term.shape.terms : [term]));
    this.#work += flat.length;
    const members = [...new Set(flat)].filter((term) => term !== this.nothing).toSorted((a, b) => a.id - b.id);
    const [only = this.nothing, ...more] = members;
    if (more.length === 0) return only;
    const key = `any ${members.map(({ id }) => id).join(" ")}`;
    const takesEmpty = members.some((term) => term.takesEmpty);
    return this.#term(key, { is: "any", terms: members }, takesEmpty);
  }

  /** Returns the term for `min` to `max` occurrences of a term. If that can be empty, all occurrences are optional. */
  #repeat(term: Term, min: number, max: number): Term {
    if (max === 0 || term === this.#empty) return this.#empty;
    if (term === this.nothing) return min === 0 ? this.#empty : this.nothing;
    const least = term.takesEmpty ? 0 : min;
    if (max === 1 && (least === 1 || term.takesEmpty)) return term;
    return this.#term(`repeat ${term.id} ${least} ${max}`, { is: "repeat", term, min: least, max }, least === 0);
  }

  #term(key: string, shape: Shape, takesEmpty: boolean): Term {
    const existing = this.#made.get(key);
    if (existing !== undefined) return existing;
    this.#work += 1;
    const made: Term = { id: this.#made.size, takesEmpty, shape };
    this.#made.set(key, made);
    return made;
  }
}
