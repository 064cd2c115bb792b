import { CheckerFailure } from "../checker/checker.ts";
import type { Declared } from "../declared.ts";
import { defectAt, unansweredAt } from "../defect.ts";
import type { Resolved } from "../schema/schema.ts";

/** A declaration with one type, which is being read in as many rounds as the checker has to be asked. */
export class PendingType<T> {
  readonly readings: readonly (() => Resolved<unknown>)[];
  readonly #declared: Declared;
  readonly #read: () => Resolved<T>;
  readonly #filled: (type: Resolved<T>) => Partial<Declared>;
  #type: Resolved<T> | undefined;
  #asked = false;
  #defect: unknown;

  /** `filled` says what the declaration has of its type once that is known. */
  constructor(declared: Declared, read: () => Resolved<T>, filled: (type: Resolved<T>) => Partial<Declared>) {
    this.#declared = declared;
    this.#read = read;
    this.#filled = filled;
    this.readings = [() => this.#noticed()];
  }

  settled(failure: Error | undefined): Declared {
    const declared = { ...this.#declared, asked: this.#asked };
    if (this.#defect !== undefined) return { ...declared, failure: defectAt(declared.call, this.#defect) };
    const type = this.#type;
    if (!type || type.questions.length > 0) {
      return { ...declared, failure: unansweredAt(declared.call, failure ?? new CheckerFailure("it was not asked")) };
    }
    return { ...declared, ...this.#filled(type), files: new Set([...declared.files, ...type.modules]) };
  }

  #noticed(): Resolved<unknown> {
    try {
      this.#type = this.#read();
      this.#asked ||= this.#type.questions.length > 0;
      return this.#type;
    } catch (error) {
      this.#defect = error;
      const { at } = defectAt(this.#declared.call, error);
      return { value: undefined, refusals: [], questions: [], types: {}, modules: [], at };
    }
  }
}
