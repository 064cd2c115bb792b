import type { Headers } from "../exchange/exchange.ts";

/** A message as it comes in. */
export interface Pushed {
  readonly id: string;
  readonly body: string;
  /** 1 at the first delivery. */
  readonly attempt: number;
  readonly sent: Date;
}

/** What Pub/Sub posts. */
interface PubSubPush {
  readonly message: { readonly data?: unknown; readonly messageId?: unknown; readonly publishTime?: unknown };
  readonly deliveryAttempt?: unknown;
}

/** Reads a push of Pub/Sub, or the body of a task of Cloud Tasks, which names itself in headers; undefined for anything else. */
export function readPush(request: Headers, text: string): Pushed | undefined {
  const task = request.header("x-cloudtasks-taskname");
  return task !== undefined ? readTask(request, task, text) : readPubSub(text);
}

function readTask(request: Headers, id: string, body: string): Pushed {
  const retries = Number(request.header("x-cloudtasks-taskretrycount") ?? 0);
  return { id, body, attempt: Number.isSafeInteger(retries) && retries >= 0 ? retries + 1 : 1, sent: new Date() };
}

function readPubSub(text: string): Pushed | undefined {
  const push = parsed(text);
  const { data, messageId, publishTime } = push?.message ?? {};
  if (typeof data !== "string" || typeof messageId !== "string" || messageId === "") return undefined;
  const attempt = Number(push?.deliveryAttempt ?? 1);
  const sent = new Date(typeof publishTime === "string" ? publishTime : Date.now());
  return {
    id: messageId,
    body: Buffer.from(data, "base64").toString(),
    attempt: Number.isSafeInteger(attempt) && attempt > 0 ? attempt : 1,
    sent: Number.isNaN(sent.getTime()) ? new Date() : sent,
  };
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
