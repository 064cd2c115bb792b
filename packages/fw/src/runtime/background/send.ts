import { randomUUID } from "node:crypto";
import type { Context } from "../../declare/context.ts";
import { Fault, StatusError } from "../../declare/errors.ts";
import type { Host } from "../../declare/host.ts";
import type { JobDeclaration } from "../../declare/job.ts";
import { parseDuration } from "../../lib/duration.ts";
import { longestDelayMs, messageBytes } from "../../lib/limits.ts";
import type { Ports } from "../../platform/lifetime.ts";
import type { Destination, OutgoingMessage } from "../../platform/messages.ts";
import type { Application, Tracing } from "../application.ts";
import { portsOf } from "../context-ports.ts";
import type { BundledDestination } from "../bundle.ts";
import { transactionOf } from "../entity/entity.ts";
import { originOf } from "../calls/origin.ts";
import { usesJobHistory, usesMessageKeys, usesTenants } from "../capabilities.ts";
import { messages } from "../error-messages.ts";
import { beginSpan, type SpanKind } from "../observe/span.ts";
import { isFollowed, traceparent } from "../observe/trace.ts";
import { visibleError, type Refusals } from "../response/refusing.ts";
import { encodeMessage } from "./codec.ts";
import { keyInTenant, wrapMessage } from "../tenant/tenant-message.ts";
import { cancelKey, keyedSender, type MessageSender } from "./message-keys.ts";
import { historyOf, recordingSender, runsName } from "./run-operations.ts";
import { encodeRun } from "../../platform/task.ts";

/** Implements queues, topics and jobs on the application's platform. */
export function messageOperations(application: () => Application): Host["messages"] {
  const requireDestination = (declaration: BundledDestination["declaration"]): BundledDestination => {
    const destination = application().destinations.get(declaration);
    if (destination === undefined)
      throw new Fault(`the ${declaration.kind} "${declaration.name}" is not part of this application`);
    return destination;
  };
  const ports = (ctx: Context): Ports => portsOf(application(), ctx, "send messages on");
  const send = (ctx: Context, { kind, name }: BundledDestination, message: OutgoingMessage): Promise<string> =>
    sendTraced(application(), ctx, { kind, name }, message, sender(ctx, ports(ctx)));
  return {
    async send(ctx, queue, message, { delay, key }) {
      const destination = requireDestination(queue);
      const body = textOf(ctx, destination, message);
      const outgoing = delay === undefined ? { body } : { body, delay: delayOf(delay) };
      if (key === undefined) return send(ctx, destination, outgoing);
      if (!usesMessageKeys) throw new Fault(unseenKey);
      const { kind, name } = destination;
      return sendTraced(
        application(),
        ctx,
        { kind, name },
        outgoing,
        keyedSender(application(), ctx, keyOf(ctx, destination, key)),
      );
    },
    async cancel(ctx, queue, key) {
      if (!usesMessageKeys) throw new Fault(unseenKey);
      const destination = requireDestination(queue);
      return cancelKey(application(), ctx, destination.name, keyOf(ctx, destination, key));
    },
    async publish(ctx, topic, event) {
      const destination = requireDestination(topic);
      return send(ctx, destination, { body: textOf(ctx, destination, event) });
    },
    async start(ctx, job, args) {
      const destination = requireDestination(job);
      return startRun(application(), ctx, ports(ctx), destination, textOf(ctx, destination, args));
    },
  };
}

function textOf(ctx: Context, destination: BundledDestination, message: unknown): string {
  const text = encodeMessage(destination, message);
  return usesTenants ? wrapMessage(ctx, destination, text) : text;
}

function keyOf(ctx: Context, destination: BundledDestination, key: string): string {
  return usesTenants ? keyInTenant(ctx, destination, key) : key;
}

/** Parses a delay into milliseconds. Throws a Fault if it is invalid or too long. */
function delayOf(text: string): number {
  const delay = parseDuration(text);
  if (delay === undefined || delay > longestDelayMs)
    throw new Fault(`"${text}" is not a valid delay: write a duration of up to 30 days, such as "15m"`);
  return delay;
}

/** The error for a `key` in a service that was built without message keys, because fw saw no `key` in a `send`. */
const unseenKey = "built without message keys: write `key` in the call of `send`";

/** Returns a sender that sends in the context's transaction, or immediately if there is none. */
function sender(ctx: Context, platform: Ports): MessageSender {
  return (destination, message) =>
    transactionOf(ctx)?.send(destination, message) ?? platform.messages.send(destination, message);
}

/** Sends a message in its own span, whose trace context travels with the message. */
async function sendTraced(
  app: Tracing,
  ctx: Context,
  destination: Destination,
  message: OutgoingMessage,
  send: MessageSender,
): Promise<string> {
  const { kind, name } = destination;
  const span = isFollowed(app) ? beginSpan(app.spans, originOf(ctx).trace, producerSpan(`${kind}:${name}`)) : undefined;
  const outgoing = span === undefined ? message : { ...message, traceparent: traceparent(span.trace) };
  try {
    const id = await send(destination, outgoing);
    span?.end(false);
    return id;
  } catch (error) {
    span?.end(true);
    throw visibleError(refusals, error);
  }
}

function producerSpan(destination: string): SpanKind {
  const attributes = { "messaging.destination.name": destination, "messaging.operation.type": "send" };
  return { kind: "producer", name: `send ${destination}`, attributes };
}

/** Starts a run by sending one message for all its tasks. */
async function startRun(
  app: Tracing & Pick<Application, "platform">,
  ctx: Context,
  platform: Ports,
  { kind, name, tasks, declaration }: BundledDestination,
  args: string,
): Promise<string> {
  const run = randomUUID();
  const send =
    usesJobHistory && historyOf(declaration as JobDeclaration) !== undefined
      ? recordingSender(app, ctx, { run, job: runsName(ctx, declaration as JobDeclaration), tasks })
      : sender(ctx, platform);
  await sendTraced(app, ctx, { kind, name }, { body: encodeRun({ run, tasks, args }) }, send);
  return run;
}

const refusals: Refusals = { "too-large": () => new StatusError(413, messages.messageTooLarge(messageBytes)) };
