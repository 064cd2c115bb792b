import { CheckerFailure } from "../../lib/checker-failure.ts";
import type { DeclaredCall } from "../declared.ts";
import { defectAt, unansweredAt } from "../defect.ts";
import type { ResolvedType } from "../schema/schema.ts";

/** The types of a declaration, and how to apply them. */
interface Parts<T extends readonly unknown[]> {
  readonly reads: { readonly [I in keyof T]: () => ResolvedType<T[I]> };
  /** Returns the members to set once all types are read. */
  readonly filled: (types: { readonly [I in keyof T]: ResolvedType<T[I]> }) => Partial<DeclaredCall>;
  /** Returns the members to set once the checker has answered, even if some types are missing. */
  readonly answered?: () => Partial<DeclaredCall>;
}

/** A declaration whose types are being read, in as many rounds as the checker needs. */
export class TypeQuery<T extends readonly unknown[]> {
  readonly readings: readonly (() => ResolvedType<unknown>)[];
  readonly #declared: DeclaredCall;
  readonly #parts: Parts<T>;
  readonly #types: ResolvedType<unknown>[] = [];
  #isChecked = false;
  #defect: unknown;

  constructor(declared: DeclaredCall, parts: Parts<T>) {
    this.#declared = declared;
    this.#parts = parts;
    this.readings = parts.reads.map((read, index) => () => this.#noticed(read, index));
  }

  /** Returns the declaration with its types, or with the failure. */
  settled(failure: Error | undefined): DeclaredCall {
    const { reads, filled, answered } = this.#parts;
    const declared = { ...this.#declared, isChecked: this.#isChecked, ...(this.#isChecked ? answered?.() : {}) };
    if (this.#defect !== undefined) return { ...declared, failure: defectAt(declared.call, this.#defect) };
    const types = reads.flatMap((_, index) => this.#types[index] ?? []);
    if (types.length < reads.length || types.some(({ questions }) => questions.length > 0)) {
      return { ...declared, failure: unansweredAt(declared.call, failure ?? new CheckerFailure("it was not asked")) };
    }
    const files = new Set([...declared.files, ...types.flatMap(({ modules }) => [...modules])]);
    return { ...declared, ...filled(types as unknown as Parameters<typeof filled>[0]), files };
  }

  #noticed(read: () => ResolvedType<unknown>, index: number): ResolvedType<unknown> {
    try {
      const type = read();
      this.#types[index] = type;
      this.#isChecked ||= type.questions.length > 0;
      return type;
    } catch (error) {
      this.#defect = error;
      const { at } = defectAt(this.#declared.call, error);
      return { value: undefined, refusals: [], questions: [], types: {}, modules: [], at };
    }
  }
}
