import { randomUUID } from "node:crypto";
import type { Context } from "../../declare/context.ts";
import { Fault, StatusError } from "../../declare/errors.ts";
import type { Host } from "../../declare/host.ts";
import { parseDuration } from "../../lib/duration.ts";
import { longestDelayMs, messageBytes } from "../../lib/limits.ts";
import type { Platform, Transaction } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import type { Destination, OutgoingMessage } from "../../platform/messages.ts";
import { transact } from "../../platform/transact.ts";
import type { Application } from "../application.ts";
import type { BundledDestination } from "../bundle.ts";
import { transactionOf } from "../entity/entity.ts";
import { messages } from "../messages.ts";
import { encodeMessage } from "./codec.ts";
import { encodeTask } from "./task.ts";

/** Carries out what queues, topics and jobs ask for, on the application's platform. */
export function messageOperations(application: () => Application): Host["messages"] {
  const known = (declaration: BundledDestination["declaration"]): BundledDestination => {
    const found = application().destinations.get(declaration);
    if (found === undefined)
      throw new Fault(`the ${declaration.kind} "${declaration.name}" is not part of this application`);
    return found;
  };
  const platform = (): Platform => {
    const found = application().platform;
    if (found === undefined) throw new Fault("this application was started without a platform to send messages on");
    return found;
  };
  const send = (ctx: Context, { kind, name }: BundledDestination, message: OutgoingMessage): Promise<string> =>
    sent(ctx, platform(), { kind, name }, message);
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
      return started(ctx, platform(), destination, encodeMessage(destination, args));
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

async function sent(
  ctx: Context,
  platform: Platform,
  destination: Destination,
  message: OutgoingMessage,
): Promise<string> {
  try {
    return transactionOf(ctx)?.send(destination, message) ?? (await platform.messages.send(destination, message));
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Sends all tasks of a run at one moment. */
async function started(
  ctx: Context,
  platform: Platform,
  destination: BundledDestination,
  args: string,
): Promise<string> {
  const { kind, name, tasks } = destination;
  const run = randomUUID();
  const sendAll = (transaction: Pick<Transaction, "send">): void => {
    for (let task = 0; task < tasks; task++)
      transaction.send({ kind, name }, { body: encodeTask({ run, task, tasks, args }) });
  };
  try {
    const transaction = transactionOf(ctx);
    if (transaction !== undefined) sendAll(transaction);
    else await transact(platform, async (own) => sendAll(own));
    return run;
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  return isPlatformError(error, "too-large") ? new StatusError(413, messages.messageTooLarge(messageBytes)) : error;
}
