import { UnreadPattern } from "./expression.ts";

/** The reading position in a pattern, and the terms written so far. */
export class Cursor {
  readonly #source: string;
  readonly #written: string[] = [];
  position = 0;

  constructor(source: string) {
    this.#source = source;
  }

  atEnd(): boolean {
    return this.position >= this.#source.length;
  }

  isLast(): boolean {
    return this.position === this.#source.length - 1;
  }

  isAt(text: string, ahead = 0): boolean {
    return this.#source.startsWith(text, this.position + ahead);
  }

  peek(): string {
    return String.fromCodePoint(this.#source.codePointAt(this.position) ?? 0);
  }

  /** Returns the character after the backslash of the escape at this position. */
  characterAfter(): string {
    return String.fromCodePoint(this.#source.codePointAt(this.position + 1) ?? 0x20);
  }

  /** Goes over the text where it stands here. */
  take(text: string): boolean {
    const isHere = this.isAt(text);
    if (isHere) this.#over(text, text);
    return isHere;
  }

  /** The same, and leaves it out of what is written. */
  skip(text: string): void {
    if (this.isAt(text)) this.position += text.length;
  }

  /** The next character, written as it is or as `as`. */
  next(as?: string): number {
    const character = this.peek();
    const point = character.codePointAt(0) ?? 0;
    if (isHalf(point)) this.refuse(halfProblem);
    this.#over(character, as ?? character);
    return point;
  }

  /** Goes over what a sticky expression finds here. */
  match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.position;
    const found = expression.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#over(found[0], found[0]);
    return found;
  }

  written(): string {
    return this.#written.join("");
  }

  refuse(problem: string, position: number = this.position): never {
    throw new UnreadPattern({ at: Array.from(this.#source.slice(0, position)).length + 1, problem });
  }

  #over(text: string, written: string): void {
    this.position += text.length;
    this.#written.push(written);
  }
}

export const halfProblem = "half of a pair is no character; write \\u{…}";

/** Halves of a surrogate pair are no characters of their own. */
export function isHalf(point: number): boolean {
  return point >= 0xd800 && point <= 0xdfff;
}
