import { randomUUID } from "node:crypto";
import type { Context } from "../../declare/context.ts";
import { Fault, StatusError } from "../../declare/errors.ts";
import type { Host } from "../../declare/host.ts";
import { parseDuration } from "../../lib/duration.ts";
import { longestDelayMs, messageBytes } from "../../lib/limits.ts";
import type { Ports } from "../../platform/lifetime.ts";
import type { Destination, OutgoingMessage } from "../../platform/messages.ts";
import type { Application, Tracing } from "../application.ts";
import { portsOf } from "../context-ports.ts";
import type { BundledDestination } from "../bundle.ts";
import { transactionOf } from "../entity/entity.ts";
import { originOf } from "../calls/origin.ts";
import { messages } from "../error-messages.ts";
import { beginSpan, type SpanKind } from "../observe/span.ts";
import { isTraced, traceparent } from "../observe/trace.ts";
import { visibleError, type Refusals } from "../response/refusing.ts";
import { encodeMessage } from "./codec.ts";
import { encodeRun } from "../../platform/task.ts";

/** Carries out what queues, topics and jobs ask for, on the application's platform. */
export function messageOperations(application: () => Application): Host["messages"] {
  const known = (declaration: BundledDestination["declaration"]): BundledDestination => {
    const found = application().destinations.get(declaration);
    if (found === undefined)
      throw new Fault(`the ${declaration.kind} "${declaration.name}" is not part of this application`);
    return found;
  };
  const ports = (ctx: Context): Ports => portsOf(application(), ctx, "send messages on");
  const send = (ctx: Context, { kind, name }: BundledDestination, message: OutgoingMessage): Promise<string> =>
    sent(application(), ctx, ports(ctx), { kind, name }, message);
  return {
    async send(ctx, queue, message, { delay }) {
      const destination = known(queue);
      const body = encodeMessage(destination, message);
      return send(ctx, destination, delay === undefined ? { body } : { body, delay: delayOf(delay) });
    },
    async publish(ctx, topic, event) {
      const destination = known(topic);
      return send(ctx, destination, { body: encodeMessage(destination, event) });
    },
    async start(ctx, job, args) {
      const destination = known(job);
      return started(application(), ctx, ports(ctx), destination, encodeMessage(destination, args));
    },
  };
}

/** Milliseconds; a delay that is none, or too long, is a mistake of the program. */
function delayOf(text: string): number {
  const delay = parseDuration(text);
  if (delay === undefined || delay > longestDelayMs)
    throw new Fault(`"${text}" is no delay: write a duration up to 30 days, such as "15m"`);
  return delay;
}

/** Sends as a step of the trace of who sends, which the message carries on. */
async function sent(
  app: Tracing,
  ctx: Context,
  platform: Ports,
  destination: Destination,
  message: OutgoingMessage,
): Promise<string> {
  const { kind, name } = destination;
  const span = isTraced(app) ? beginSpan(app.spans, originOf(ctx).trace, producing(`${kind}:${name}`)) : undefined;
  const traced = span === undefined ? message : { ...message, traceparent: traceparent(span.trace) };
  try {
    const id = transactionOf(ctx)?.send(destination, traced) ?? (await platform.messages.send(destination, traced));
    span?.end(false);
    return id;
  } catch (error) {
    span?.end(true);
    throw visibleError(refusals, error);
  }
}

function producing(destination: string): SpanKind {
  const attributes = { "messaging.destination.name": destination, "messaging.operation.type": "send" };
  return { kind: "producer", name: `send ${destination}`, attributes };
}

/** Sends the start of a run, which is all of its tasks. */
async function started(
  app: Tracing,
  ctx: Context,
  platform: Ports,
  { kind, name, tasks }: BundledDestination,
  args: string,
): Promise<string> {
  const run = randomUUID();
  await sent(app, ctx, platform, { kind, name }, { body: encodeRun({ run, tasks, args }) });
  return run;
}

const refusals: Refusals = { "too-large": () => new StatusError(413, messages.messageTooLarge(messageBytes)) };
