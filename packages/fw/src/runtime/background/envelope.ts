import { messageNames } from "../../platform/message-names.ts";
import type { Headers } from "../exchange/exchange.ts";

/** A message pushed by the platform. */
export interface IncomingPush {
  readonly id: string;
  readonly body: string;
  /** 1 for the first delivery. */
  readonly attempt: number;
  readonly sent: Date;
  /** The `traceparent` of the sending operation. */
  readonly traceparent: string | undefined;
  /** The attributes of a Pub/Sub message; empty for Cloud Tasks. */
  readonly attributes: Attributes;
}

export type Attributes = Readonly<Record<string, string | undefined>>;

interface PubSubPush {
  readonly message: {
    readonly data?: unknown;
    readonly attributes?: unknown;
    readonly messageId?: unknown;
    readonly publishTime?: unknown;
  };
  readonly deliveryAttempt?: unknown;
}

/** Reads a Pub/Sub push, or a Cloud Tasks task, whose name is in a header. Returns undefined for anything else. */
export function readPush(request: Headers, text: string): IncomingPush | undefined {
  const task = request.header("x-cloudtasks-taskname");
  return task !== undefined ? readTask(request, task, text) : readPubSub(text);
}

function readTask(request: Headers, name: string, body: string): IncomingPush {
  return {
    id: request.header(messageNames.id) ?? name,
    body,
    attempt: count(request.header("x-cloudtasks-taskretrycount"), 0) + 1,
    sent: instant(request.header(messageNames.sent)),
    traceparent: request.header(messageNames.traceparent),
    attributes: {},
  };
}

function readPubSub(text: string): IncomingPush | undefined {
  const push = parsePush(text);
  const { data, messageId, publishTime } = push?.message ?? {};
  if (typeof data !== "string" || typeof messageId !== "string" || messageId === "") return undefined;
  const attributes = readAttributes(push?.message.attributes);
  return {
    id: attributes[messageNames.id] ?? messageId,
    body: Buffer.from(data, "base64").toString(),
    attempt: Math.max(1, count(push?.deliveryAttempt, 1)),
    sent: instant(attributes[messageNames.sent] ?? publishTime),
    traceparent: attributes[messageNames.traceparent],
    attributes,
  };
}

function readAttributes(value: unknown): Attributes {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, value]) => typeof value === "string"));
}

/** Parses a whole number of 0 or more. Returns `otherwise` if `value` is absent or anything else. */
export function count(value: unknown, otherwise: number): number {
  const number = Number(value ?? otherwise);
  return Number.isSafeInteger(number) && number >= 0 ? number : otherwise;
}

function instant(value: unknown): Date {
  const date = new Date(typeof value === "string" ? value : Date.now());
  return Number.isNaN(date.getTime()) ? new Date() : date;
}

function parsePush(text: string): PubSubPush | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    const message = typeof value === "object" && value !== null ? (value as Partial<PubSubPush>).message : undefined;
    return typeof message === "object" && message !== null ? (value as PubSubPush) : undefined;
  } catch {
    return undefined;
  }
}
