import type { Context } from "../../declare/context.ts";
import type { MessageHandler } from "../../declare/delivery.ts";
import type { RecordedRun, Run } from "../../declare/run.ts";
import type { RunnerDeclaration } from "../../declare/runner.ts";
import { asError } from "../../lib/thrown.ts";
import { DeadlinePassed } from "../../platform/deadline.ts";
import type { Delivery } from "../../platform/messages.ts";
import type { Application, MeasuredPorts } from "../application.ts";
import { isDecoy } from "../auth/account/decoy.ts";
import type { BundledConsumer } from "../bundle.ts";
import { usesAccounts, usesJobHistory, usesMessageKeys, usesTenants } from "../capabilities.ts";
import { contextOfSender, runsNameOf, type ReceivedMessage } from "../tenant/tenant-message.ts";
import { decodeDelivery } from "./codec.ts";
import { cronRoute, startMeter } from "../observe/metrics/meter.ts";
import { type BackgroundContext, deliveryContext } from "./context.ts";
import { beginDelivery } from "./message-keys.ts";
import { failedStatus, reportFailure } from "./failure.ts";
import { runRecorded, type RecordedWork, type TaskControls } from "./recorded-task.ts";
import { historyOf } from "./run-operations.ts";
import { isMisfit } from "../../platform/misfit.ts";
import { decodeTask, type Task } from "../../platform/task.ts";

type DeliveryPorts = MeasuredPorts & Pick<Application, "platform">;

/**
 * Passes a delivery to its handler, unless its message was replaced or canceled. Logs a failure and then rejects, so
 * the platform redelivers the message.
 */
export async function receive(app: DeliveryPorts, delivery: Delivery): Promise<void> {
  const consumer = app.bundle.consumers?.find(({ service }) => service === delivery.consumer);
  if (consumer === undefined) throw new Error(`this service has no handler ${delivery.consumer}`);
  if (consumer.kind === "runner") return runTask(app, consumer, delivery);
  if (usesMessageKeys && consumer.kind === "worker" && app.platform !== undefined)
    if (!(await beginDelivery(app.platform, delivery.id))) return;
  if (usesAccounts && isDecoy(consumer.source, delivery.body)) return;
  const ctx = deliveryContext(app, consumer, delivery);
  const { id, attempt } = delivery;
  await runAttempt(ctx, delivery, () => {
    const handler = consumer.declaration.handler as MessageHandler<unknown>;
    const { message, sender } = fittingMessage(app, consumer, delivery.body);
    return handler(usesTenants ? contextOfSender(ctx, sender) : ctx, message, { id, attempt });
  });
}

async function runTask(app: DeliveryPorts, consumer: BundledConsumer, delivery: Delivery): Promise<void> {
  const task = decodeTask(delivery.body);
  const { job } = consumer.declaration as RunnerDeclaration;
  if (usesJobHistory && job.history !== undefined && app.platform !== undefined)
    return runRecorded(app.platform, delivery, recordedWork(app, consumer, { delivery, task }));
  return runAttemptOfTask(app, consumer, { delivery, task });
}

function recordedWork(app: DeliveryPorts, consumer: BundledConsumer, { delivery, task }: TaskDelivery): RecordedWork {
  const { source, declaration } = consumer;
  const { maxAttempts, deadline } = consumer.delivery;
  const { attempt } = delivery;
  const history = historyOf((declaration as RunnerDeclaration).job) ?? 0;
  const job = usesTenants ? runsNameOf(app, source.name, task.args) : source.name;
  return {
    attempt: { ...task, job, attempt, isLast: attempt >= maxAttempts, deadline, history },
    work: (controls) => runAttemptOfTask(app, consumer, { delivery: { ...delivery, ...controls }, task }),
    notRecorded: (error) => reportUnrecorded(app, consumer, error),
  };
}

function reportUnrecorded({ log }: DeliveryPorts, { source, service }: BundledConsumer, error: unknown): void {
  const fields = { route: service, error: asError(error) };
  log({
    at: new Date(),
    level: "error",
    message: "the result of a run was not recorded",
    tags: { job: source.name },
    fields,
  });
}

/** A delivery of a task, with controls if its run is recorded. */
interface TaskDelivery {
  readonly delivery: Delivery & Partial<TaskControls>;
  readonly task: Task;
}

async function runAttemptOfTask(
  app: MeasuredPorts,
  consumer: BundledConsumer,
  { delivery, task }: TaskDelivery,
): Promise<void> {
  const ctx = deliveryContext(app, consumer, delivery, task);
  const countRun = startMeter(app.metrics, cronRoute(consumer.source.name));
  const { signal } = delivery;
  // A handler that ignores its signal may never end, so count its run at the deadline.
  signal.addEventListener("abort", () => countRun(failedStatus(signal)), { once: true });
  try {
    await runAttempt(ctx, delivery, () => {
      const handler = consumer.declaration.handler as TaskHandler;
      const { message, sender } = fittingMessage(app, consumer, task.args);
      const { attempt, progress } = delivery;
      const run = { id: task.run, task: task.task, tasks: task.tasks, attempt };
      const inside = usesTenants ? contextOfSender(ctx, sender) : ctx;
      return handler(inside, message, usesJobHistory && progress !== undefined ? { ...run, progress } : run);
    });
    countRun(204);
  } catch (error) {
    countRun(failedStatus(signal));
    throw error;
  }
}

/** Decodes a message for its handler. If the message does not fit its type, counts it and throws. */
function fittingMessage(app: MeasuredPorts, { source }: BundledConsumer, body: string): ReceivedMessage {
  try {
    return decodeDelivery(app, source, body);
  } catch (error) {
    if (isMisfit(error)) app.metrics?.misfit(source);
    throw error;
  }
}

type TaskHandler = (ctx: Context, args: unknown, run: Run | RecordedRun) => void | Promise<unknown>;

async function runAttempt(
  ctx: BackgroundContext,
  delivery: Delivery,
  work: () => void | Promise<unknown>,
): Promise<void> {
  const { signal } = delivery;
  // A handler that ignores its signal may never end, so report the deadline itself as the failure.
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
    // Work that stops because its signal aborted has not failed.
    if (!signal.aborted) reportAttempt(ctx, delivery, error);
    throw error;
  } finally {
    signal.removeEventListener("abort", late);
  }
}

function reportAttempt(ctx: BackgroundContext, { attempt, consumer }: Delivery, error: unknown): void {
  const sentence = isMisfit(error) ? "a message waits for another version" : "the handler failed";
  reportFailure(ctx, { sentence, route: consumer, attempt }, error);
}
