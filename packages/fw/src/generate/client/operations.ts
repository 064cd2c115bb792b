import { assertNever } from "../../lib/assert-never.ts";
import type { App, Endpoint } from "../../model/app.ts";
import type { BindingSource } from "../../model/bindings.ts";
import { ofKind } from "../../model/declarations.ts";
import type { ReplyShape } from "../../model/reply-shape.ts";
import { reachable } from "../reach.ts";
import type { BoundField } from "../../model/request-shape.ts";
import type { Schema, TypeTable } from "../../model/schema.ts";
import { wireSchemas } from "../../model/wire-schemas.ts";

/** An API or a socket as who calls it sees it. */
export interface Operation {
  readonly endpoint: Endpoint;
  /** In the order of the route. */
  readonly path: readonly BoundField[];
  readonly query: readonly BoundField[];
  readonly headers: readonly BoundField[];
  readonly cookies: readonly BoundField[];
  /** What the answer carries. */
  readonly answer: Carried;
}

/** What an answer carries; a socket's connection carries messages. */
export type Carried = "json" | "nothing" | "file" | "events" | "json or nothing" | "messages";

/** What an API refuses with besides an error: its replies of such statuses. */
export function refusalsIn({ endpoint }: Operation): readonly (ReplyShape & { readonly status: number })[] {
  return (endpoint.replies ?? []).filter(
    (reply): reply is ReplyShape & { status: number } => (reply.status ?? 0) >= 400,
  );
}

/** Why a client has no method for an API. */
export interface LeftOut {
  readonly endpoint: Endpoint;
  readonly why: string;
}

/** The APIs of an application, its sockets, or both, by package and in source order. */
export function operationsOf({ packages }: App, ...kinds: readonly ("api" | "socket")[]): readonly Operation[] {
  return packages.flatMap((pkg) => ofKind(pkg, ...kinds)).map(operation);
}

function operation(endpoint: Endpoint): Operation {
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
    answer: endpoint.messages === undefined ? answerOf(endpoint.response) : "messages",
  };
}

export function answerOf(response: Schema): Exclude<Carried, "messages"> {
  if (response.kind === "void") return "nothing";
  if (response.kind === "blob") return response.events === undefined ? "file" : "events";
  return response.kind === "union" && response.variants.some(({ kind }) => kind === "void")
    ? "json or nothing"
    : "json";
}

/** The JSON of an answer that has some. */
export function jsonOf(response: Schema): Schema {
  if (response.kind !== "union") return response;
  const variants = response.variants.filter(({ kind }) => kind !== "void");
  const [only, ...more] = variants;
  return only !== undefined && more.length === 0 ? only : { ...response, variants };
}

/** What of an application a client, or a description of its APIs, does not have, though others may use it. */
export function otherEndpoints({ packages }: App, ...kinds: readonly ("mount" | "socket")[]): readonly LeftOut[] {
  const others = packages.flatMap((pkg) => ofKind(pkg, ...kinds)).filter(({ settings }) => !settings.private);
  return others.map((endpoint) => ({ endpoint, why: endpoint.kind === "socket" ? socketWords : mountWords }));
}

const socketWords = "socket: its messages come one by one; open it as a WebSocket";
const mountWords = "mount: whatever is mounted there says what it takes and answers";

/** Why a browser cannot call an API as a client does: with JSON, and past no other service. */
export function whyLeftOut({ settings, request }: Endpoint): string | undefined {
  if (settings.private) return "private: only other services may call it";
  switch (request.carries) {
    case "multipart":
      return "multipart: it takes files in a form; send a FormData with fetch";
    case "form":
      return "form-bound: it takes the fields of a form; submit a form, or send a URLSearchParams with fetch";
    case "raw":
      return "raw: it takes a body as it comes; send it with fetch";
    case "json":
    case "nothing":
    case "stream":
      return undefined;
    default:
      return assertNever(request.carries);
  }
}

/** The ids of the named types that requests and answers of operations consist of, in the order of ids. */
export function typesIn(operations: readonly Operation[], types: TypeTable): readonly string[] {
  const found = new Set<string>();
  for (const { endpoint } of operations) {
    const { request } = endpoint;
    for (const schema of wireSchemas(endpoint)) for (const id of reachable(schema, types)) found.add(id);
    if (request.body.length > 0 && request.type !== undefined) found.add(request.type);
  }
  return [...found].toSorted();
}

/** True for a field that a request has to have. A list that is left out is empty. */
export function isRequired({ optional, list, items }: BoundField): boolean {
  return !optional && (!list || (items?.min ?? 0) > 0);
}
