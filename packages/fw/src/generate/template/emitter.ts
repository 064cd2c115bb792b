/** Builds the body of a compiled function, which appends text and values to `o`, with statements in between. */
export class Emitter {
  readonly #lines: string[] = [];
  #parts: string[] = [];
  #text = "";

  literal(text: string): void {
    this.#text += text;
  }

  value(expression: string): void {
    this.#endText();
    this.#parts.push(expression);
  }

  statement(line: string): void {
    this.#flush();
    this.#lines.push(line);
  }

  /** Returns the statements so far. */
  end(): string {
    this.#flush();
    return this.#lines.join("\n");
  }

  #endText(): void {
    if (this.#text !== "") this.#parts.push(JSON.stringify(this.#text));
    this.#text = "";
  }

  #flush(): void {
    this.#endText();
    if (this.#parts.length > 0) this.#lines.push(`o += ${this.#parts.join(" + ")};`);
    this.#parts = [];
  }
}
