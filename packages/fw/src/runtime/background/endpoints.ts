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
import { readPush } from "./envelope.ts";
import { handlePush, type PushedMessage } from "./push.ts";
import { receive } from "./receive.ts";

/** Limit: bytes of a pushed delivery, which is an envelope with a base64-encoded message. */
const pushBytes = 512 * 1024;

/** The header in which Cloud Scheduler sends the scheduled time of a trigger. */
const scheduledTimeHeader = "x-cloudscheduler-scheduletime";

/**
 * Endpoints where the platform delivers messages and triggers crons. Each exists only if the application has a consumer
 * or a cron.
 */
export function backgroundEndpoints(bundle: Bundle, application: () => Application): InjectedEndpoints {
  return {
    ...(bundle.consumers !== undefined && { "api/push": pushEndpoint(application) }),
    ...(usesCrons && bundle.crons !== undefined && { "api/cron/": cronEndpoint(application) }),
  };
}

/** Responds with 204 to acknowledge; the platform redelivers after any other status. */
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
 * Rejects after the deadline, or when the pushing client disconnects, which then redelivers the message. When the
 * process stops, the handler's signal aborts but the handler may finish.
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

/** Runs work with a signal that aborts when either of two signals does. Finally removes its listeners from both. */
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

/** True if Cloud Scheduler has already triggered this tick. */
async function isRepeatedTick({ platform }: Application, cron: string, tick: string | undefined): Promise<boolean> {
  if (platform === undefined || tick === undefined || Number.isNaN(Date.parse(tick))) return false;
  return !(await claimTick(platform, cron, new Date(tick)));
}

/** Converts a failure to a 500. It was logged where it happened. */
async function answerFailure(work: Promise<void>, keepsReasons = false): Promise<void> {
  try {
    await work;
  } catch (error) {
    const reason = keepsReasons ? messageOf(error) : messages.internal;
    throw new StatusError(isMisfit(error) ? misfitStatus : 500, reason);
  }
}
