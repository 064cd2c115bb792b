import type { Endpoint, SocketMessages } from "../model/app.ts";
import { type BoundField, type RequestShape, schemaOf } from "../model/request-shape.ts";
import type { Schema } from "../model/schema.ts";
import { plainSchema } from "./plain-schema.ts";

export interface RecordedEndpoint {
  readonly kind: "api" | "page" | "socket";
  readonly access: Access;
  readonly request: readonly RecordedField[];
  /** Includes the error replies that the return type declares. */
  readonly answers: readonly RecordedAnswer[];
  readonly messages?: SocketMessages;
}

/** The clients that may call an endpoint, from all clients to only services of the application. */
export type Access = (typeof accessLevels)[number];

/** Ordered: each level admits fewer clients than the one before. */
export const accessLevels = ["public", "sign-in", "policy", "private"] as const;

/** A field of a request, or its whole body. */
export interface RecordedField {
  /** For example `path id`, `query page` or `body total`; `body` is the whole body. */
  readonly name: string;
  readonly schema: Schema;
  readonly optional: boolean;
}

export interface RecordedAnswer {
  /** Absent if the handler does not return a reply. */
  readonly status?: number;
  readonly body: Schema;
}

/** Records an endpoint under its route. Returns an empty list for a mount, which has no types to record. */
export function recordedEndpoint(endpoint: Endpoint): readonly (readonly [string, RecordedEndpoint])[] {
  const { kind, route, request, response, replies, messages } = endpoint;
  if (kind === "mount") return [];
  const answers = replies ?? [{ body: response }];
  const record: RecordedEndpoint = {
    kind,
    access: accessOf(endpoint),
    request: fieldsOf(request).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    answers: answers.map(({ status, body }) => ({
      ...(status !== undefined && { status }),
      body: plainSchema(body),
    })),
    ...(messages && { messages: { received: plainSchema(messages.received), sent: plainSchema(messages.sent) } }),
  };
  return [[route.pattern, record]];
}

function accessOf({ settings }: Endpoint): Access {
  if (settings.private) return "private";
  if (settings.allow !== undefined) return "policy";
  return settings.signIn ? "sign-in" : "public";
}

function fieldsOf({ bound, body, whole }: RequestShape): readonly RecordedField[] {
  const own = body.map(({ name, schema, optional }) => ({
    name: `body ${name}`,
    schema: plainSchema(schema),
    optional,
  }));
  const all = whole && {
    name: "body",
    schema: plainSchema(whole.schema ?? { kind: "json" }),
    optional: whole.optional,
  };
  return [...bound.map(boundField), ...own, ...(all ? [all] : [])];
}

function boundField({ source, wire, type, list, items, optional }: BoundField): RecordedField {
  const value = schemaOf(type);
  const schema: Schema = list ? { kind: "array", items: value, ...(items && { limits: items }) } : value;
  // A required list may still be absent from a request, and is then empty.
  return { name: `${source} ${wire}`, schema, optional: optional || list };
}
