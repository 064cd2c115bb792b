import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { ErrorStyle } from "./errors.ts";
import type { Query } from "./discovery/validate.ts";

/** One of Google's APIs: its described methods, and what it answers beside them. */
export interface Api {
  readonly host: string;
  readonly errors?: ErrorStyle;
  /** Pages of any site may ask it. */
  readonly crossOrigin?: boolean;
  readonly methods: Readonly<Record<string, Method>>;
  /** How it refuses who may not; by default as most APIs do. */
  readonly denied?: (caller: string, needed: Needed) => string;
  /** Answers a request that is for none of the methods; false when it is not for this either. */
  readonly other?: (exchange: Exchange) => Promise<boolean> | boolean;
}

/** A method of an API. */
export interface Method {
  /** What the caller has to be allowed; `key` where an API key is enough, `nobody` where no credentials are asked for. */
  readonly needs: "key" | "nobody" | ((call: Call) => readonly Needed[]);
  /** Answers with what is written as JSON, or with a `Reply`. */
  readonly run: (call: Call) => unknown;
}

/** A permission on a resource, which is named with its service. */
export interface Needed {
  readonly permission: string;
  readonly resource: string;
}

/** A call of a method that its description allows. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** The JSON body, `{}` where there is none. */
  readonly body: unknown;
  /** Of a method that takes content: the request, whose body nobody has read. */
  readonly request: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  /** The account whose token the caller has; "" where none is asked for. */
  readonly caller: string;
  /** Where the caller sees this server: scheme, host and, where it is part of the path, the API's host. */
  readonly origin: string;
  /** Of the query: `media` for the content of an object. */
  readonly alt: string;
  /** Of the query: how content is uploaded. */
  readonly uploadType: string;
  /** Refuses a resource that came inside of the content, as the body would be. */
  readonly validate: (resource: unknown) => void;
}

/** A request to a host of Google's, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly host: string;
  /** Percent-encoded, as it came. */
  readonly path: string;
  readonly search: URLSearchParams;
  readonly origin: string;
}

/** An answer that is more than JSON. */
export class Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;

  constructor(status: number, headers: Readonly<Record<string, string>> = {}, body: Uint8Array | string = "") {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** The value of a name of the path. */
export function param(call: Pick<Call, "params">, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw new Error(`the path has no ${name}`);
  return value;
}

/** The value of a name of the query. */
export function query(call: Call, name: string): string | undefined {
  return call.query[name]?.[0];
}
