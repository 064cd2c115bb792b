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
  /** The required permissions; `key` if an API key is enough, `nobody` for no credentials. */
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
  /** The raw request, for methods with content; its body is unread. */
  readonly request: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  /** The caller's account; "" if no credentials are required. */
  readonly caller: string;
  /** The server's address as the caller sees it: scheme, host and, if it is part of the path, the API's host. */
  readonly origin: string;
  /** The query parameter: `media` for the content of an object. */
  readonly alt: string;
  /** The query parameter: the upload protocol. */
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

/** Returns the name in a call's path, whatever the parameter is called: most paths have one. */
export function nameOf(call: Pick<Call, "params">): string {
  return param(call, Object.keys(call.params)[0] ?? "");
}

/** The last part of a resource's full name. */
export function shortName(name: string): string {
  return name.split("/").at(-1) ?? "";
}
