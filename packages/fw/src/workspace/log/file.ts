import { appendFileSync, chmodSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { logLineCharacters } from "../../lib/limits.ts";
import type { LogEntry } from "./entry.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** Bytes after which a file is put aside and another begun. */
const mostBytes = 4_000_000;

/** Milliseconds for which entries are collected. */
const collectMs = 20;

/** The file that is written, and the one before it. Every entry is one line of JSON. */
export function logPaths(root: string): { readonly current: string; readonly previous: string } {
  const directory = join(root, ".fw", "log");
  return { current: join(directory, "current.jsonl"), previous: join(directory, "previous.jsonl") };
}

/**
 * Keeps the log of a running server on disk: two files of some megabytes that only this user reads. Processes may
 * share it.
 */
export class LogFile {
  readonly #root: string;
  readonly #secrets: () => Readonly<Record<string, string | undefined>>;
  readonly #also: ((entry: LogEntry) => void) | undefined;
  #lines: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #flushed = (): void => this.flush();

  /**
   * `secrets` gives the values that are not written, by name, as they are now; `also` is told every entry without
   * them.
   */
  constructor(
    root: string,
    secrets: () => Readonly<Record<string, string | undefined>>,
    also?: (entry: LogEntry) => void,
  ) {
    this.#root = root;
    this.#secrets = secrets;
    this.#also = also;
    process.on("exit", this.#flushed);
  }

  append(entry: LogEntry): void {
    const kept = withoutSecrets({ ...entry, message: cut(entry.message) }, this.#secrets()) as LogEntry;
    this.#lines.push(`${JSON.stringify(kept)}\n`);
    this.#also?.(kept);
    this.#timer ??= setTimeout(this.#flushed, collectMs).unref();
  }

  /** Writes what was collected. A log that cannot be written ends nothing. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#lines.splice(0).join("");
    if (text === "") return;
    try {
      this.#write(text);
    } catch {
      // The same lines are in the terminal.
    }
  }

  #write(text: string): void {
    const { current, previous } = logPaths(this.#root);
    mkdirSync(dirname(current), { recursive: true, mode: 0o700 });
    const stats = statSync(current, { throwIfNoEntry: false });
    if (stats && stats.size > mostBytes) renameSync(current, previous);
    else if (stats && (stats.mode & 0o077) !== 0) chmodSync(current, 0o600);
    appendFileSync(current, text, { mode: 0o600 });
  }
}

/** Bounds the output of a process like a line of the log. */
function cut(message: string): string {
  const beyond = message.length - logLineCharacters;
  return beyond <= 0 ? message : `${message.slice(0, logLineCharacters)}… ${beyond} more`;
}
