import { StatusError } from "../../declare/errors.ts";
import { messageOf } from "../../lib/thrown.ts";
import { pushBytes } from "../../lib/limits.ts";
import type { Application, Wiring } from "../application.ts";
import { readBody } from "../body/body.ts";
import type { Bundle, BundledConsumer } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import { sendEmpty } from "../response/send.ts";
import type { InjectedEndpoint, InjectedEndpoints } from "../routing/injected-endpoint.ts";
import { requirePlatform } from "./authenticate-platform.ts";
import { claimTick, cronNamed, runCron } from "./cron.ts";
import { untilDeadline } from "./deadline.ts";
import { readPush } from "./envelope.ts";
import { takePush, type PushedMessage } from "./push.ts";
import { receive } from "./receive.ts";

/** The header in which Google's scheduler says for when it triggers. */
const scheduledFor = "x-cloudscheduler-scheduletime";

/** Where the platform delivers messages and triggers crons; each is there when the application has something to be called. */
export function backgroundEndpoints(bundle: Bundle, application: () => Application): InjectedEndpoints {
  return {
    ...(bundle.consumers !== undefined && { "api/push": pushEndpoint(application) }),
    ...(bundle.crons !== undefined && { "api/cron/": cronEndpoint(application) }),
  };
}

/** 204 acknowledges; anything else is delivered again. */
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
      const taken = takePush(consumer, pushed, {
        deadLetters: app.platform?.deadLetters,
        handle: (message) => deliver(app, request.signal, consumer, message),
      });
      await logged(taken, app.caller?.hearsReasons);
      sendEmpty(request, 204, []);
    },
  };
}

/** The one that the service has, or the one that the query names. */
function consumerOf({ bundle }: Wiring, query: string): BundledConsumer | undefined {
  const named = new URLSearchParams(query).get("consumer");
  const consumers = bundle.consumers ?? [];
  if (named === null) return consumers.length === 1 ? consumers[0] : undefined;
  return consumers.find(({ service }) => service === named);
}

/** Rejects when the deadline has passed or who pushes has gone; where the process stops, the handler is told and may still end. */
async function deliver(
  app: Application,
  gone: AbortSignal,
  { service, source, delivery }: BundledConsumer,
  message: PushedMessage,
): Promise<void> {
  const clock = app.platform?.clock;
  const make = (signal: AbortSignal): Promise<void> =>
    toldToStop(signal, app.stopping, (told) =>
      receive(app, { ...message, consumer: service, destination: source, signal: told }),
    );
  await (clock === undefined ? make(gone) : untilDeadline(clock, delivery.deadline, gone, make));
}

/** Runs work with a signal that aborts with either of two; neither is kept with what listens to it. */
async function toldToStop<T>(
  signal: AbortSignal,
  stopping: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = new AbortController();
  const listening = [signal, ...(stopping === undefined ? [] : [stopping])].map((one) => {
    const abort = (): void => either.abort(one.reason);
    if (one.aborted) abort();
    one.addEventListener("abort", abort, { once: true });
    return (): void => one.removeEventListener("abort", abort);
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
      const cron = cronNamed(app, rest);
      if (await hasCome(app, rest, exchange.header(scheduledFor))) return sendEmpty(request, 204, []);
      await logged(toldToStop(request.signal, app.stopping, (signal) => runCron(app, cron, signal)));
      sendEmpty(request, 204, []);
    },
  };
}

/** Whether the cloud's scheduler, which says for when it triggers, has triggered the same tick before. */
async function hasCome({ platform }: Application, cron: string, tick: string | undefined): Promise<boolean> {
  if (platform === undefined || tick === undefined || Number.isNaN(Date.parse(tick))) return false;
  return !(await claimTick(platform, cron, new Date(tick)));
}

/** What failed was logged where it failed. */
async function logged(work: Promise<void>, hearsReasons = false): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw new StatusError(500, hearsReasons ? messageOf(error) : messages.internal);
  }
}
