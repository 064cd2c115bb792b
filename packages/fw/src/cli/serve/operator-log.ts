import { appendFileSync } from "node:fs";
import { readText } from "../../lib/read-file.ts";
import { replaceFile } from "../../lib/replace-file.ts";

/** Limit: the newest changes by operators that the dashboard stores and shows. */
const newestChanges = 500;

/** Limit: characters of the input of one change, as JSON. */
const inputCharacters = 1_000;

interface OperatorChange {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly operator: string;
  readonly operation: string;
  /** The operation's input as JSON, truncated if it is long. */
  readonly input: string;
}

/** The changes that operators made in the dashboard, in a file that outlives the server. */
export class OperatorLog {
  readonly #path: string;
  #changes: readonly OperatorChange[];

  constructor(path: string) {
    this.#path = path;
    const lines = (readText(path) ?? "").split("\n").slice(0, -1);
    this.#changes = lines.flatMap(parseChange).slice(-newestChanges);
    // Drop older changes and an incomplete line.
    const text = this.#changes.map((change) => `${JSON.stringify(change)}\n`).join("");
    if (lines.length > 0) replaceFile(path, text, { mode: 0o600 });
  }

  add(change: Omit<OperatorChange, "input"> & { readonly input: object }): void {
    const input = JSON.stringify(change.input).slice(0, inputCharacters);
    const stored = { ...change, input };
    this.#changes = [...this.#changes, stored].slice(-newestChanges);
    appendFileSync(this.#path, `${JSON.stringify(stored)}\n`, { mode: 0o600 });
  }

  /** Lists changes, newest first. */
  list(): readonly OperatorChange[] {
    return this.#changes.toReversed();
  }
}

/** Parses a line. Returns an empty list for an incomplete line, which a killed server may leave. */
function parseChange(line: string): readonly OperatorChange[] {
  try {
    return [JSON.parse(line) as OperatorChange];
  } catch {
    return [];
  }
}
