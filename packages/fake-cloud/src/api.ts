import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { ErrorStyle } from "./errors.ts";
import type { Query } from "./discovery/validate.ts";

/** One of Google's APIs: methods of its discovery document, and a handler for other requests. */
export interface Api {
  readonly host: string;
  readonly errors?: ErrorStyle;
  /** True if pages of any site may call it. */
  readonly crossOrigin?: boolean;
  readonly methods: Readonly<Record<string, Method>>;
  /** Returns the error message for a caller without permission. Most APIs use the default. */
  readonly denied?: (caller: string, needed: Need) => string;
  /** Handles a request that matches no method; returns false if it cannot. */
  readonly other?: (exchange: Exchange) => Promise<boolean> | boolean;
}

/** A method of an API. */
export interface Method {
  /** The required permissions; `key` if an API key is enough, `nobody` for no credentials. */
  readonly needs: "key" | "nobody" | ((call: Call) => readonly Need[]);
  /** Returns a value to send as JSON, or a `Reply`. */
  readonly run: (call: Call) => unknown;
}

/** A permission on a resource, whose name includes its service. */
export interface Need {
  readonly permission: string;
  readonly resource: string;
}

/** A valid call of a method. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** The JSON body; `{}` if there is none. */
  readonly body: unknown;
  /** The raw request, for methods with content; its body is unread. */
  readonly request: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  /** The caller's account; "" for a method without credentials, and for a caller with only an API key. */
  readonly caller: string;
  /** The base URL that the caller used: scheme, host and, if it is in the path, the API's host. */
  readonly origin: string;
  /** The query parameter `alt`: `media` for the content of an object. */
  readonly alt: string;
  /** The query parameter `uploadType`: the upload protocol. */
  readonly uploadType: string;
  /** Validates a resource that is embedded in the content, like a body. */
  readonly validate: (resource: unknown) => void;
}

/** A request to one of Google's hosts, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly host: string;
  /** Percent-encoded, as received. */
  readonly path: string;
  readonly search: URLSearchParams;
  readonly origin: string;
}

/** A response other than plain JSON. */
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

/** Returns the value of a path parameter. */
export function param(call: Pick<Call, "params">, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw new Error(`the path has no ${name}`);
  return value;
}

/** Returns the first value of a query parameter; undefined if there is none. */
export function query(call: Call, name: string): string | undefined {
  return call.query[name]?.[0];
}

/** Returns the first path parameter: in most methods, the only one and the resource's name. */
export function nameOf(call: Pick<Call, "params">): string {
  return param(call, Object.keys(call.params)[0] ?? "");
}

/** Returns the last part of a resource's full name. */
export function shortName(name: string): string {
  return name.split("/").at(-1) ?? "";
}
