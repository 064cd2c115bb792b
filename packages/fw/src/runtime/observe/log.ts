import type { Logger } from "../../declare/context.ts";
import { messageOf } from "../../lib/thrown.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** One line of the log. */
export interface LogRecord {
  readonly at: Date;
  readonly level: LogLevel;
  readonly message: string;
  /** What it speaks for: `req` and the request's id. */
  readonly tags: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Members that fw itself writes into the line, next to the fields of the application. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** The service whose endpoint wrote it; undefined for anything else. */
  readonly service?: string | undefined;
}

export type LogSink = (record: LogRecord) => void;

type Fields = Readonly<Record<string, unknown>>;
const noFields: Fields = Object.freeze({});

/** A logger whose every record carries `tags`. */
export class TaggedLogger implements Logger {
  readonly #sink: LogSink;
  readonly #tags: Readonly<Record<string, string>>;
  readonly #service: string | undefined;
  readonly #isOwn: boolean;

  /** With `isOwn`, the fields are members of the line: for processes of fw, whose lines other programs read. */
  constructor(sink: LogSink, tags: Readonly<Record<string, string>>, service?: string, isOwn = false) {
    this.#sink = sink;
    this.#tags = tags;
    this.#service = service;
    this.#isOwn = isOwn;
  }

  /** A logger whose records carry more tags. */
  with(tags: Readonly<Record<string, string>>): TaggedLogger {
    return new TaggedLogger(this.#sink, { ...this.#tags, ...tags }, this.#service, this.#isOwn);
  }

  debug(message: string, fields?: Fields): void {
    this.#write("debug", message, fields);
  }

  info(message: string, fields?: Fields): void {
    this.#write("info", message, fields);
  }

  warn(message: string, fields?: Fields): void {
    this.#write("warn", message, fields);
  }

  error(message: string, fields?: Fields): void {
    this.#write("error", message, fields);
  }

  #write(level: LogLevel, message: unknown, fields: Fields = noFields): void {
    this.#sink({
      at: new Date(),
      level,
      message: typeof message === "string" ? message : messageOf(message),
      tags: this.#tags,
      fields: this.#isOwn ? noFields : fields,
      ...(this.#isOwn && { members: fields }),
      service: this.#service,
    });
  }
}

/** The logger of a context for what fw itself says of an endpoint: its route is a tag, which no field can claim. */
export function logOf(route: string, log: Logger): Logger {
  return log instanceof TaggedLogger ? log.with({ route }) : log;
}
