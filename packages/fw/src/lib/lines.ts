import type { Readable } from "node:stream";

/** The number of characters that a process may print without a newline before fw splits the line. */
export const longestLine = 1_000_000;

/** Splits text into lines only at newlines. In newer versions of Node, `readline` also splits at U+2028. */
class Lines {
  readonly #most: number;
  #rest = "";

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  push(chunk: string): readonly string[] {
    const lines = (this.#rest + chunk).split(/\r?\n/);
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > this.#most) {
      lines.push(this.#rest);
      this.#rest = "";
    }
    return lines;
  }

  /** Returns the text after the last newline, if any. */
  end(): readonly string[] {
    return this.#rest === "" ? [] : [this.#rest];
  }
}

export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  const lines = new Lines();
  for await (const chunk of text) yield* lines.push(chunk);
  yield* lines.end();
}

/** Calls `hear` for each line that another process prints. Splits lines of more than `most` characters. */
export function onLine(stream: Readable, hear: (line: string) => void, most?: number): void {
  const lines = new Lines(most);
  stream.setEncoding("utf8").on("data", (chunk: string) => lines.push(chunk).forEach(hear));
  stream.once("end", () => lines.end().forEach(hear));
}
