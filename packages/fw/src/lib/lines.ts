import type { Readable } from "node:stream";

/**
 * Cuts a text into lines at a newline only: to `readline` of newer versions of Node a U+2028 within a text ends one,
 * too.
 */
class Lines {
  #rest = "";

  cut(chunk: string): readonly string[] {
    const lines = (this.#rest + chunk).split(/\r?\n/);
    this.#rest = lines.pop() ?? "";
    return lines;
  }

  /** Returns the text after the last newline, if any. */
  end(): readonly string[] {
    return this.#rest === "" ? [] : [this.#rest];
  }
}

export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  const lines = new Lines();
  for await (const chunk of text) yield* lines.cut(chunk);
  yield* lines.end();
}

/** Hears the lines of what another process writes, as they come. */
export function onLine(stream: Readable, hear: (line: string) => void): void {
  const lines = new Lines();
  stream.setEncoding("utf8").on("data", (chunk: string) => lines.cut(chunk).forEach(hear));
  stream.once("end", () => lines.end().forEach(hear));
}
