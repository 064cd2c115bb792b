import type { Context } from "../../declare/context.ts";
import type { MessageHandler } from "../../declare/delivery.ts";
import type { Run } from "../../declare/runner.ts";
import { DeadlinePassed } from "../../platform/deadline.ts";
import type { Destination, Delivery } from "../../platform/messages.ts";
import type { BackgroundPorts, MeasuredPorts } from "../application.ts";
import type { BundledConsumer } from "../bundle.ts";
import { decodeDelivery } from "./codec.ts";
import { cronRoute, meter } from "../observe/meter.ts";
import type { SpanKind } from "../observe/span.ts";
import { BackgroundContext } from "./context.ts";
import { failedStatus, reportFailure } from "./failure.ts";
import { decodeTask } from "../../platform/task.ts";

/** Hands a delivery to its handler. Rejects, after it was logged, where the delivery is to be made again. */
export async function receive(app: MeasuredPorts, delivery: Delivery): Promise<void> {
  const consumer = app.bundle.consumers?.find(({ service }) => service === delivery.consumer);
  if (consumer === undefined) throw new Error(`there is no handler ${delivery.consumer}`);
  if (consumer.kind === "runner") return runTask(app, consumer, delivery);
  const ctx = contextOf(app, consumer, delivery, {
    handler: consumer.variable,
    source: sourceText(delivery.destination),
  });
  const { id, attempt } = delivery;
  await attempted(ctx, delivery, () => {
    const handler = consumer.declaration.handler as MessageHandler<unknown>;
    return handler(ctx, decodeDelivery(app, consumer.source, delivery.body), { id, attempt });
  });
}

async function runTask(app: MeasuredPorts, consumer: BundledConsumer, delivery: Delivery): Promise<void> {
  const { run, task, tasks, args } = decodeTask(delivery.body);
  const tags = { job: consumer.source.name, ...(tasks > 1 ? { task: String(task) } : {}) };
  const ctx = contextOf(app, consumer, delivery, tags);
  const ended = meter(app.metrics, cronRoute(consumer.source.name));
  const { signal } = delivery;
  // A handler may never end after its deadline.
  signal.addEventListener("abort", () => ended(failedStatus(signal)), { once: true });
  try {
    await attempted(ctx, delivery, () => {
      const handler = consumer.declaration.handler as TaskHandler;
      const decoded = decodeDelivery(app, consumer.source, args);
      return handler(ctx, decoded, { id: run, task, tasks, attempt: delivery.attempt });
    });
    ended(204);
  } catch (error) {
    ended(failedStatus(signal));
    throw error;
  }
}

type TaskHandler = (ctx: Context, args: unknown, run: Run) => void | Promise<unknown>;

function contextOf(
  app: BackgroundPorts,
  { delivery: policy, service }: BundledConsumer,
  { id, signal, destination, attempt, traceparent }: Delivery,
  tags: Readonly<Record<string, string>>,
): BackgroundContext {
  const source = sourceText(destination);
  const step: SpanKind = {
    kind: "consumer",
    name: destination.kind === "job" ? cronRoute(destination.name) : `${service} ${source}`,
    attributes: {
      "messaging.destination.name": source,
      "messaging.message.id": id,
      "messaging.operation.type": "process",
      "fw.attempt": attempt,
    },
  };
  const deadline = performance.now() + policy.deadline;
  return new BackgroundContext(app, { tags, id, signal, deadline, service, step, traceparent });
}

/** `queue:emails`, `topic:order-placed`, `bucket.uploaded:photos`. */
function sourceText({ kind, name }: Destination): string {
  return kind === "event" ? name : `${kind}:${name}`;
}

async function attempted(
  ctx: BackgroundContext,
  delivery: Delivery,
  work: () => void | Promise<unknown>,
): Promise<void> {
  const { signal } = delivery;
  // A handler may never end after its deadline, so the deadline itself is what is told.
  const late = (): void => {
    if (!(signal.reason instanceof DeadlinePassed)) return;
    reportAttempt(ctx, delivery, signal.reason);
    ctx.end(true);
  };
  signal.addEventListener("abort", late, { once: true });
  try {
    await work();
    ctx.end(false);
  } catch (error) {
    ctx.end(!signal.aborted);
    // Work that is told to stop and stops has not failed.
    if (!signal.aborted) reportAttempt(ctx, delivery, error);
    throw error;
  } finally {
    signal.removeEventListener("abort", late);
  }
}

function reportAttempt(ctx: BackgroundContext, { attempt, consumer }: Delivery, error: unknown): void {
  reportFailure(ctx, { sentence: "the handler failed", route: consumer, attempt }, error);
}
