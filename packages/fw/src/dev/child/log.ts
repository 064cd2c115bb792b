import { longestLine } from "../../lib/lines.ts";
import { readableLine, jsonLine, type Bundle, type LogRecord, type LogSink } from "../../runtime/index.ts";
import { entryOf, type LogEntry } from "../../workspace/log/entry.ts";
import { LogFile } from "../../workspace/log/file.ts";

/** Prints the application's logs and output to the terminal and stores them for `fw logs`. */
export class DevLog {
  readonly #file: LogFile;
  #bundle: Bundle | undefined;
  readonly #print: (text: string) => void;

  /** `also` receives every stored entry. */
  constructor(root: string, also: (entry: LogEntry) => void) {
    this.#file = new LogFile(root, () => this.#secrets(), also);
    this.#print = this.#keepPrinted(process.stdout, "INFO");
    this.#keepPrinted(process.stderr, "ERROR");
  }

  /** Takes the service names and the secrets to mask from this version of the application. */
  use(bundle: Bundle): void {
    this.#bundle = bundle;
  }

  readonly sink: LogSink = (record) => {
    // The console needs the trace of a delivery. In the terminal it is noise, because all services share one process.
    const { trace: _trace, ...tags } = record.tags;
    this.#print(`${readableLine({ ...record, tags })}\n`);
    this.#file.append(entryOf(this.#serviceOf(record), jsonLine(record)));
  };

  /** Masks the values of the application's secrets in a JSON value. */
  readonly redact = (value: unknown): unknown => this.#file.redact(value);

  crashed(message: string): void {
    const entry = { time: new Date().toISOString(), severity: "ERROR", service: this.#app, message, fields: {} };
    this.#file.append(entry);
  }

  /**
   * Stores what code prints directly, for example with `console.log`. Returns a function that prints without storing.
   */
  #keepPrinted(stream: NodeJS.WriteStream, severity: string): (text: string) => void {
    const write = stream.write.bind(stream);
    let rest = "";
    stream.write = (chunk: Uint8Array | string, ...more: unknown[]): boolean => {
      const text = rest + (typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
      const end = text.length > longestLine ? text.length : text.lastIndexOf("\n") + 1;
      rest = text.slice(end);
      const message = text.slice(0, end).replace(/\n$/, "");
      if (message !== "") this.#file.append({ ...entryOf(this.#app, ""), severity, message });
      return Reflect.apply(write, stream, [chunk, ...more]) as boolean;
    };
    return (text) => void write(text);
  }

  get #app(): string {
    return this.#bundle?.app ?? "";
  }

  #serviceOf({ service, tags }: LogRecord): string {
    if (service !== undefined) return service;
    const { consumers = [], crons = [], singletons = [], packages = [] } = this.#bundle ?? {};
    const consumer = consumers.find(({ variable, kind, source }) =>
      kind === "runner" ? source.name === tags["job"] : variable === tags["handler"],
    );
    if (consumer !== undefined) return consumer.service;
    const singleton = singletons.find(({ name }) => name === tags["singleton"]);
    if (singleton !== undefined) return singleton.service;
    const cron = crons.find(({ name }) => name === tags["cron"]);
    return (cron && packages[cron.package]?.service) ?? this.#app;
  }

  #secrets(): Readonly<Record<string, string | undefined>> {
    return Object.fromEntries((this.#bundle?.secrets ?? []).map((name) => [name, process.env[name]]));
  }
}
