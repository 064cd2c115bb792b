import { UnreadPattern } from "./expression.ts";

/** The reading position in a pattern, and the normalized pattern so far. */
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

  take(text: string): boolean {
    const isHere = this.isAt(text);
    if (isHere) this.#over(text, text);
    return isHere;
  }

  /** Consumes a string without adding it to the normalized pattern. */
  skip(text: string): void {
    if (this.isAt(text)) this.position += text.length;
  }

  /** Consumes the next character and adds it, or `as`, to the normalized pattern. */
  next(as?: string): number {
    const character = this.peek();
    const point = character.codePointAt(0) ?? 0;
    if (isHalf(point)) this.refuse(halfProblem);
    this.#over(character, as ?? character);
    return point;
  }

  match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.position;
    const found = expression.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#over(found[0], found[0]);
    return found;
  }

  normalizedText(): string {
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

export const halfProblem = "half of a surrogate pair is not a character: write \\u{…}";

/** True for half of a surrogate pair, which is not a character on its own. */
export function isHalf(point: number): boolean {
  return point >= 0xd800 && point <= 0xdfff;
}
