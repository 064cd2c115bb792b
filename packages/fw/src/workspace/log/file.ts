import { appendFileSync, chmodSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { logLineCharacters } from "../../lib/limits.ts";
import { ownMembers } from "../../lib/log-members.ts";
import type { LogEntry } from "./entry.ts";

/** Shorter secrets are not redacted, because strings this short occur everywhere. */
const minSecretLength = 4;

/** The size in bytes at which the log is rotated. */
const mostBytes = 4_000_000;

/** Milliseconds to buffer entries before writing them. */
const collectMs = 20;

/** Returns the paths of the current and the previous log file. Each line is a JSON entry. */
export function logPaths(root: string): { readonly current: string; readonly previous: string } {
  const directory = join(root, ".fw", "log");
  return { current: join(directory, "current.jsonl"), previous: join(directory, "previous.jsonl") };
}

/**
 * Writes the log of a running server to two files of a few megabytes that only this user can read. Several processes
 * may append to them.
 */
export class LogFile {
  readonly #root: string;
  readonly #secrets: () => Readonly<Record<string, string | undefined>>;
  readonly #listener: ((entry: LogEntry) => void) | undefined;
  #lines: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #flushed = (): void => this.flush();

  /** `secrets` returns the current values of secrets by name; `listener` receives every redacted entry. */
  constructor(
    root: string,
    secrets: () => Readonly<Record<string, string | undefined>>,
    listener?: (entry: LogEntry) => void,
  ) {
    this.#root = root;
    this.#secrets = secrets;
    this.#listener = listener;
    process.on("exit", this.#flushed);
  }

  append(entry: LogEntry): void {
    const redacted = this.redact({ ...entry, message: truncate(entry.message) }) as LogEntry;
    this.#lines.push(`${JSON.stringify(redacted)}\n`);
    this.#listener?.(redacted);
    this.#timer ??= setTimeout(this.#flushed, collectMs).unref();
  }

  /** Replaces the values of secrets in plain JSON. */
  redact(value: unknown): unknown {
    return withoutSecrets(value, this.#secrets());
  }

  /** Writes collected entries. Ignores errors. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#lines.splice(0).join("");
    if (text === "") return;
    try {
      this.#write(text);
    } catch {
      // Ignored, because the terminal shows the same lines.
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

/** Truncates a message to the length limit of log lines. */
function truncate(message: string): string {
  const beyond = message.length - logLineCharacters;
  return beyond <= 0 ? message : `${message.slice(0, logLineCharacters)}… ${beyond} more`;
}

/**
 * Replaces the values of secrets in JSON with `[secret NAME]`: in strings, in numbers, and in the application's own
 * member names below `fields`.
 */
function withoutSecrets(value: unknown, secrets: Readonly<Record<string, string | undefined>>): unknown {
  const patterns = Object.entries(secrets)
    .flatMap(([name, secret]): Secret[] =>
      secret === undefined || secret.length < minSecretLength
        ? []
        : formsOf(secret).map((form) => ({ name, secret: form })),
    )
    // Longer secrets first, because one may contain another.
    .toSorted((a, b) => b.secret.length - a.secret.length);
  return patterns.length === 0 ? value : replaceSecrets(value, patterns);
}

/** Returns a secret unchanged, and as it appears in JSON text inside a string, such as a message body. */
function formsOf(secret: string): readonly string[] {
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1)])];
}

interface Secret {
  readonly name: string;
  readonly secret: string;
}

function replaceSecrets(value: unknown, patterns: readonly Secret[], isData = false): unknown {
  if (typeof value === "string") return replaceIn(value, patterns);
  if (typeof value === "number") return replaceNumber(value, patterns);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => replaceSecrets(item, patterns, isData));
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    if (!isData && sourceWords.has(name)) return [name, member];
    const shown = isData && !ownNames.has(name) ? replaceIn(name, patterns) : name;
    return [shown, replaceSecrets(member, patterns, isData || name === "fields")];
  });
  return Object.fromEntries(members);
}

/** Names that fw gives to the members of `fields` in the log, and to the members of an error in `fields`. */
const ownNames: ReadonlySet<string> = new Set([...ownMembers, "error", "name", "stack", "cause"]);

/** Members of fw's records with values from fw or the source, which can equal a secret only by coincidence. */
const sourceWords: ReadonlySet<string> = new Set(["kind", "severity", "service"]);

function replaceIn(text: string, patterns: readonly Secret[]): string {
  return patterns.reduce((rest, { name, secret }) => rest.replaceAll(secret, () => `[secret ${name}]`), text);
}

/** Redacts a number only if the whole number is a secret. */
function replaceNumber(value: number, patterns: readonly Secret[]): unknown {
  const match = patterns.find(({ secret }) => secret === String(value));
  return match === undefined ? value : `[secret ${match.name}]`;
}
