import type { RawHeaders } from "./exchange/exchange.ts";

/** The parts of a response that are collected before it is sent. Most responses have none. */
export class ResponseDraft {
  readonly cookies: string[] = [];
  /** Headers in addition to the body's own. */
  headers: RawHeaders = [];
  /** The value of the CSRF cookie that the response sets. */
  csrfSecret: string | undefined = undefined;
  /** True if the handler read any htmx header besides HX-Request. */
  readsHTMX = false;

  /** Sets a header, replacing one of the same name. */
  addHeader(name: string, value: string): void {
    const index = this.headers.indexOf(name);
    if (index === -1) this.headers.push(name, value);
    else this.headers[index + 1] = value;
  }
}
