import { messageNames } from "../../platform/message-names.ts";
import type { Headers } from "../exchange/exchange.ts";

/** A message as it comes in. */
export interface Pushed {
  readonly id: string;
  readonly body: string;
  /** 1 at the first delivery. */
  readonly attempt: number;
  readonly sent: Date;
  /** Of the step that sent it. */
  readonly traceparent: string | undefined;
  /** What travels beside the body of what Pub/Sub brings. */
  readonly attributes: Attributes;
}

export type Attributes = Readonly<Record<string, string | undefined>>;

/** What Pub/Sub posts. */
interface PubSubPush {
  readonly message: {
    readonly data?: unknown;
    readonly attributes?: unknown;
    readonly messageId?: unknown;
    readonly publishTime?: unknown;
  };
  readonly deliveryAttempt?: unknown;
}

/** Reads a push of Pub/Sub, or the body of a task of Cloud Tasks, which names itself in headers; undefined for anything else. */
export function readPush(request: Headers, text: string): Pushed | undefined {
  const task = request.header("x-cloudtasks-taskname");
  return task !== undefined ? readTask(request, task, text) : readPubSub(text);
}

function readTask(request: Headers, name: string, body: string): Pushed {
  return {
    id: request.header(messageNames.id) ?? name,
    body,
    attempt: count(request.header("x-cloudtasks-taskretrycount"), 0) + 1,
    sent: instant(request.header(messageNames.sent)),
    traceparent: request.header(messageNames.traceparent),
    attributes: {},
  };
}

function readPubSub(text: string): Pushed | undefined {
  const push = parsed(text);
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

function readAttributes(given: unknown): Attributes {
  if (typeof given !== "object" || given === null) return {};
  return Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === "string"));
}

/** A number of times; what is none counts as `otherwise`. */
export function count(given: unknown, otherwise: number): number {
  const number = Number(given ?? otherwise);
  return Number.isSafeInteger(number) && number >= 0 ? number : otherwise;
}

function instant(given: unknown): Date {
  const date = new Date(typeof given === "string" ? given : Date.now());
  return Number.isNaN(date.getTime()) ? new Date() : date;
}

function parsed(text: string): PubSubPush | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    const message = typeof value === "object" && value !== null ? (value as Partial<PubSubPush>).message : undefined;
    return typeof message === "object" && message !== null ? (value as PubSubPush) : undefined;
  } catch {
    return undefined;
  }
}
