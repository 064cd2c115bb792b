import type { Logger } from "../../declare/context.ts";
import { messageOf } from "../../lib/thrown.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface LogRecord {
  readonly at: Date;
  readonly level: LogLevel;
  readonly message: string;
  /** Tags such as `req` with the request's id. */
  readonly tags: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Members that fw itself adds to the line, alongside the application's fields. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** The service whose endpoint wrote the line; undefined for other lines. */
  readonly service?: string | undefined;
}

export type LogSink = (record: LogRecord) => void;

type Fields = Readonly<Record<string, unknown>>;
const noFields: Fields = Object.freeze({});

/** A logger whose records all carry `tags`. */
export class TaggedLogger implements Logger {
  readonly #sink: LogSink;
  readonly #tags: Readonly<Record<string, string>>;
  readonly #service: string | undefined;
  readonly #isOwn: boolean;

  /** With `isOwn`, fields become members of the line. Used in fw's own processes, whose lines other programs parse. */
  constructor(sink: LogSink, tags: Readonly<Record<string, string>>, service?: string, isOwn = false) {
    this.#sink = sink;
    this.#tags = tags;
    this.#service = service;
    this.#isOwn = isOwn;
  }

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

/** Returns the logger for fw's messages about an endpoint. The route is a tag, so no field can override it. */
export function routeLogger(route: string, log: Logger): Logger {
  return log instanceof TaggedLogger ? log.with({ route }) : log;
}
