import type { RawHeaders } from "./exchange/exchange.ts";

/** The parts of an answer that code collects before it is sent. Few answers have one. */
export class ResponseDraft {
  /** The values of Set-Cookie. */
  readonly cookies: string[] = [];
  /** Headers in addition to those of the body. */
  headers: RawHeaders = [];
  /** The value of the CSRF cookie that it sets. */
  csrfSecret: string | undefined = undefined;
  /** True if the handler read more of htmx's headers than HX-Request. */
  readsHTMX = false;

  /** Adds a header, in place of one of the same name. */
  addHeader(name: string, value: string): void {
    const index = this.headers.indexOf(name);
    if (index === -1) this.headers.push(name, value);
    else this.headers[index + 1] = value;
  }
}
