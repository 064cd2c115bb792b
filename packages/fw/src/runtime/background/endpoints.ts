import { StatusError } from "../../declare/errors.ts";
import { messageOf } from "../../lib/thrown.ts";
import { DeliveryLost } from "../../platform/deadline.ts";
import { untilDeadline } from "./deadline.ts";
import { isMisfit, misfitStatus } from "../../platform/misfit.ts";
import type { Application, Wiring } from "../application.ts";
import { readBody } from "../body/body.ts";
import type { Bundle, BundledConsumer } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import { sendEmpty } from "../response/send.ts";
import { usesCrons } from "../capabilities.ts";
import type { InjectedEndpoint, InjectedEndpoints } from "../routing/injected-endpoint.ts";
import { requirePlatform } from "./authenticate-platform.ts";
import { claimTick, requireCron, runCron } from "./cron.ts";
import { readPush, count, type IncomingPush } from "./envelope.ts";
import { receive } from "./receive.ts";
import { partsOfEvent } from "../../lib/events.ts";
import { reasonOf } from "../../platform/message.ts";
import { messageNames, unknownReason } from "../../platform/message-names.ts";
import type { DeadLetterSink, Delivery, Destination, DyingMessage } from "../../platform/messages.ts";
import { uploadEvent } from "../../platform/upload-event.ts";

/** Limit: bytes of a pushed delivery, including its envelope and base64 encoding. */
const pushBytes = 512 * 1024;

/** Cloud Scheduler's header with the scheduled time of a trigger. */
const scheduledTimeHeader = "x-cloudscheduler-scheduletime";

/**
 * Returns the endpoints where the platform delivers messages and triggers crons. Each exists only if the application
 * has a consumer or a cron, respectively.
 */
export function backgroundEndpoints(bundle: Bundle, application: () => Application): InjectedEndpoints {
  return {
    ...(bundle.consumers !== undefined && { "api/push": pushEndpoint(application) }),
    ...(usesCrons && bundle.crons !== undefined && { "api/cron/": cronEndpoint(application) }),
  };
}

/**
 * Creates the endpoint for deliveries. It acknowledges them with 204; after any other status, the platform redelivers.
 */
function pushEndpoint(application: () => Application): InjectedEndpoint {
  return {
    methods: ["POST"],
    async handle(request) {
      const app = application();
      const { exchange, requestId } = request;
      const consumer = consumerOf(app, request.query);
      const handler = consumer?.variable ?? "";
      await requirePlatform(exchange, app.caller, app.log, { handler, requestId });
      const pushed = readPush(exchange, (await readBody(exchange, pushBytes)).toString());
      if (consumer === undefined || pushed === undefined) throw new StatusError(400, messages.badRequest);
      const handling = handlePush(consumer, pushed, {
        deadLetters: app.platform?.deadLetters,
        handle: (message) => deliver(app, request.signal, consumer, message),
      });
      await answerFailure(handling, app.caller?.keepsFailureReasons);
      sendEmpty(request, 204, []);
    },
  };
}

/** Returns the consumer that the query names, or the only consumer of the service. */
function consumerOf({ bundle }: Wiring, query: string): BundledConsumer | undefined {
  const name = new URLSearchParams(query).get("consumer");
  const consumers = bundle.consumers ?? [];
  if (name === null) return consumers.length === 1 ? consumers[0] : undefined;
  return consumers.find(({ service }) => service === name);
}

/**
 * Passes a delivery to its handler. Rejects after the deadline, and when the platform closes the connection to
 * redeliver the message. When the process stops, the handler's signal aborts, but the handler may finish.
 */
async function deliver(
  app: Application,
  disconnected: AbortSignal,
  { service, source, delivery }: BundledConsumer,
  message: PushedMessage,
): Promise<void> {
  const clock = app.platform?.clock;
  const lostDelivery = new AbortController();
  if (disconnected.aborted) lostDelivery.abort(new DeliveryLost());
  disconnected.addEventListener("abort", () => lostDelivery.abort(new DeliveryLost()), { once: true });
  const run = (signal: AbortSignal): Promise<void> =>
    withEitherSignal(signal, app.stopping, (either) =>
      receive(app, { ...message, consumer: service, destination: source, signal: either }),
    );
  await (clock === undefined
    ? run(lostDelivery.signal)
    : untilDeadline(clock, delivery.deadline, lostDelivery.signal, run));
}

/** Runs work with a signal that aborts when either of two signals does. Removes its listeners from both afterwards. */
async function withEitherSignal<T>(
  signal: AbortSignal,
  stopping: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = new AbortController();
  const listening = [signal, ...(stopping === undefined ? [] : [stopping])].map((source) => {
    const abort = (): void => either.abort(source.reason);
    if (source.aborted) abort();
    source.addEventListener("abort", abort, { once: true });
    return (): void => source.removeEventListener("abort", abort);
  });
  try {
    return await work(either.signal);
  } finally {
    for (const end of listening) end();
  }
}

function cronEndpoint(application: () => Application): InjectedEndpoint {
  return {
    methods: ["POST"],
    async handle(request, rest) {
      const app = application();
      const { exchange, requestId } = request;
      await requirePlatform(exchange, app.caller, app.log, { handler: rest, requestId });
      const cron = requireCron(app, rest);
      if (await isRepeatedTick(app, rest, exchange.header(scheduledTimeHeader))) return sendEmpty(request, 204, []);
      await answerFailure(withEitherSignal(request.signal, app.stopping, (signal) => runCron(app, cron, signal)));
      sendEmpty(request, 204, []);
    },
  };
}

/** Claims a tick. Returns true if Cloud Scheduler has already triggered it. */
async function isRepeatedTick({ platform }: Application, cron: string, tick: string | undefined): Promise<boolean> {
  if (platform === undefined || tick === undefined || Number.isNaN(Date.parse(tick))) return false;
  return !(await claimTick(platform, cron, new Date(tick)));
}

/** Converts a failure, which was already logged, to a 500, or to `misfitStatus` if the message does not fit. */
async function answerFailure(work: Promise<void>, keepsReasons = false): Promise<void> {
  try {
    await work;
  } catch (error) {
    const reason = keepsReasons ? messageOf(error) : messages.internal;
    throw new StatusError(isMisfit(error) ? misfitStatus : 500, reason);
  }
}

export type PushedMessage = Pick<Delivery, "id" | "body" | "attempt" | "sent" | "traceparent">;

interface PushParts {
  /** Absent if the platform itself counts the attempts. */
  readonly deadLetters: DeadLetterSink | undefined;
  /** Handles a message. Rejects if it should be delivered again. */
  readonly handle: (message: PushedMessage) => Promise<void>;
}

/**
 * Handles a pushed message. Stores it as a dead letter if its last attempt fails, and sets it aside if it does not fit
 * its type. Rejects if the platform should push it again.
 */
export async function handlePush(
  { service, source, delivery: { maxAttempts } }: Pick<BundledConsumer, "service" | "source" | "delivery">,
  push: IncomingPush,
  { deadLetters, handle }: PushParts,
): Promise<void> {
  const body = bodyFor(service, source, push);
  if (body === undefined) return;
  const { id, attempt, sent, traceparent } = push;
  const dyingMessage = (reason: string): DyingMessage => ({
    id,
    consumer: service,
    destination: source,
    attempts: Math.min(attempt, maxAttempts),
    body,
    sent,
    reason,
  });
  // The last delivery got no response, possibly because the message crashed the process.
  if (deadLetters !== undefined && attempt > maxAttempts) return deadLetters.add(dyingMessage(unknownReason));
  try {
    await handle({ id, body, attempt, sent, traceparent });
  } catch (error) {
    const isForOtherCode = isMisfit(error);
    if (deadLetters === undefined || (attempt < maxAttempts && !isForOtherCode)) throw error;
    await deadLetters[isForOtherCode ? "setAside" : "add"](dyingMessage(reasonOf(error)));
  }
}

/** Pub/Sub's attribute with the delivery count of a message that it moved to a dead-letter topic. */
const deadLetterCount = "CloudPubSubDeadLetterSourceDeliveryCount";

/** Returns the body for the consumer's codec; undefined if the push is not for this consumer. */
function bodyFor(consumer: string, source: Destination, pushed: IncomingPush): string | undefined {
  const { attributes, body } = pushed;
  const to = attributes[messageNames.to];
  if (to !== undefined && to !== consumer) return undefined;
  if (attributes[messageNames.waits] !== undefined) return undefined;
  const { kind } = source.kind === "event" ? partsOfEvent(source.name) : { kind: "" };
  if (kind === "bucket.uploaded" && attributes["eventType"] !== undefined) return uploadBody(pushed);
  const isDead = attributes[messageNames.attempts] !== undefined || attributes[deadLetterCount] !== undefined;
  if ((kind === "dead.queue" || kind === "dead.topic") && isDead) return deadBody(pushed);
  return body;
}

interface StorageObject {
  readonly name: string;
  /** The number of bytes, in decimal digits. */
  readonly size: string;
  readonly contentType?: string;
  readonly updated: string;
}

/** Returns the upload event in a Cloud Storage notification; undefined for any other event. */
function uploadBody({ attributes, body }: IncomingPush): string | undefined {
  if (attributes["eventType"] !== "OBJECT_FINALIZE") return undefined;
  const { name, size, contentType = "application/octet-stream", updated } = JSON.parse(body) as StorageObject;
  return uploadEvent({ key: name, size: Number(size), contentType, updated });
}

/** Returns the body of a dead letter. It contains the message as its sender encoded it. */
function deadBody({ id, body, attributes }: IncomingPush): string {
  const attempts = count(attributes[messageNames.attempts] ?? attributes[deadLetterCount], 1);
  const reason = JSON.stringify(attributes[messageNames.reason] ?? unknownReason);
  return `{"id":${JSON.stringify(id)},"message":${body},"attempts":${attempts},"reason":${reason}}`;
}
