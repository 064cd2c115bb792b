import { assertNever } from "../../lib/assert-never.ts";
import type { App, Endpoint } from "../../model/app.ts";
import type { BindingSource } from "../../model/bindings.ts";
import { ofKind } from "../../model/declarations.ts";
import type { ReplyShape } from "../../model/reply-shape.ts";
import type { BoundField } from "../../model/request-shape.ts";
import { reachable, type Schema, type TypeTable } from "../../model/schema.ts";
import { wireSchemas } from "../../model/wire-schemas.ts";

/** An API or a socket from the caller's view. */
export interface Operation {
  readonly endpoint: Endpoint;
  /** The path parameters, in route order. */
  readonly path: readonly BoundField[];
  readonly query: readonly BoundField[];
  readonly headers: readonly BoundField[];
  readonly cookies: readonly BoundField[];
  readonly answer: AnswerKind;
  /** The type of its error bodies, if its package has an ErrorShape. */
  readonly errors?: Schema;
}

/** The kind of a response; `messages` for a socket. */
export type AnswerKind = "json" | "nothing" | "file" | "events" | "json or nothing" | "messages";

/**
 * Returns the replies that an API declares; undefined if it declares none. Error replies have the type of the package's
 * ErrorShape, if there is one.
 */
export function repliesIn({ endpoint, errors }: Operation): readonly ReplyShape[] | undefined {
  if (errors === undefined) return endpoint.replies;
  return endpoint.replies?.map((reply) => (reply.isError ? { ...reply, body: errors } : reply));
}

/** Returns the declared replies with an error status. */
export function refusalsIn(operation: Operation): readonly (ReplyShape & { readonly status: number })[] {
  return (repliesIn(operation) ?? []).filter(
    (reply): reply is ReplyShape & { status: number } => (reply.status ?? 0) >= 400,
  );
}

/** An endpoint without a method in the client, and the reason. */
export interface Omission {
  readonly endpoint: Endpoint;
  readonly why: string;
}

/** Returns the APIs of an application, its sockets, or both, by package and in source order. */
export function operationsOf({ packages }: App, ...kinds: readonly ("api" | "socket")[]): readonly Operation[] {
  return packages.flatMap((pkg) => {
    const [errors] = ofKind(pkg, "errors");
    return ofKind(pkg, ...kinds).map((endpoint) => operation(endpoint, errors?.body));
  });
}

function operation(endpoint: Endpoint, errors: Schema | undefined): Operation {
  const of = (source: BindingSource): readonly BoundField[] =>
    endpoint.request.bound.filter((field) => field.source === source);
  const byName = new Map(of("path").map((field) => [field.wire, field]));
  const path = endpoint.route.segments.flatMap((segment) =>
    "param" in segment ? (byName.get(segment.param) ?? []) : [],
  );
  return {
    endpoint,
    path,
    query: of("query"),
    headers: of("header"),
    cookies: of("cookie"),
    ...(errors && { errors }),
    answer: endpoint.messages === undefined ? answerOf(endpoint.response) : "messages",
  };
}

export function answerOf(response: Schema): Exclude<AnswerKind, "messages"> {
  if (response.kind === "void") return "nothing";
  if (response.kind === "blob") return response.events === undefined ? "file" : "events";
  return response.kind === "union" && response.variants.some(({ kind }) => kind === "void")
    ? "json or nothing"
    : "json";
}

export function jsonOf(response: Schema): Schema {
  if (response.kind !== "union") return response;
  const variants = response.variants.filter(({ kind }) => kind !== "void");
  const [only, ...more] = variants;
  return only !== undefined && more.length === 0 ? only : { ...response, variants };
}

/** Returns the endpoints that a client or an OpenAPI document omits although other programs may call them. */
export function omittedEndpoints({ packages }: App, ...kinds: readonly ("mount" | "socket")[]): readonly Omission[] {
  const others = packages.flatMap((pkg) => ofKind(pkg, ...kinds)).filter(({ settings }) => !settings.private);
  return others.map((endpoint) => ({ endpoint, why: endpoint.kind === "socket" ? socketWords : mountWords }));
}

const socketWords = "socket: open it as a WebSocket";
const mountWords = "mount: the mounted handler defines its requests and responses";

/** Returns why a client cannot call an API; undefined if it can. Clients send JSON, and cannot call private APIs. */
export function omissionReason({ settings, request }: Endpoint): string | undefined {
  if (settings.private) return "private: only other services may call it";
  switch (request.carries) {
    case "multipart":
      return "multipart: the API takes a form with files; send a FormData with fetch";
    case "form":
      return "form: the API takes form fields; submit a form, or send a URLSearchParams with fetch";
    case "raw":
      return "raw: the API takes any body; send it with fetch";
    case "json":
    case "nothing":
    case "stream":
      return undefined;
    default:
      return assertNever(request.carries);
  }
}

/** Returns the sorted ids of the named types in requests and responses. */
export function typesIn(operations: readonly Operation[], types: TypeTable): readonly string[] {
  const ids = new Set<string>();
  for (const { endpoint, errors } of operations) {
    const { request } = endpoint;
    for (const schema of [...wireSchemas(endpoint), ...(errors ? [errors] : [])])
      for (const id of reachable(schema, types)) ids.add(id);
    if (request.body.length > 0 && request.type !== undefined) ids.add(request.type);
  }
  return [...ids].toSorted();
}

/** True for a field that a request must contain. A missing list counts as empty. */
export function isRequired({ optional, list, items }: BoundField): boolean {
  return !optional && (!list || (items?.min ?? 0) > 0);
}
