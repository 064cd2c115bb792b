import { setTimeout } from "node:timers/promises";
import { visible } from "../../lib/visible.ts";
import type { DeadMessage } from "../../platform/messages.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { PlaceOptions } from "../data/options.ts";
import { isDeployed, placeOf, withData, type DataPlace } from "../data/local-or-deployed.ts";
import type { IO } from "../io.ts";
import { answeringServer, refusalOf, type Server } from "./server.ts";

/** A dead message in a list, with times in RFC 3339 format. */
export type ListedDead = Omit<DeadMessage, "sent" | "died"> & { readonly sent: string; readonly died: string };

/**
 * The dead messages of a deployed application, or of a local one, read from its server or, if none runs, from its data.
 */
export interface DeadLetters extends Readonly<
  Record<DeadAction["verb"], (consumer: string, id: string) => Promise<boolean>>
> {
  readonly list: () => Promise<readonly ListedDead[]>;
}

/** The maximum number of messages in a list. */
const most = 1000;

export async function withDeadLetters<T>(place: DataPlace, work: (dead: DeadLetters) => Promise<T>): Promise<T> {
  const server = isDeployed(place) ? undefined : await answeringServer(place);
  if (server !== undefined) return work(deadLettersOfServer(server));
  return withData(place, ({ heldMessages: held }) =>
    work({
      list: async () => ((await held?.dead({ limit: most })) ?? []).map(listDead),
      replay: async (consumer, id) => (await held?.replay(consumer, id)) ?? false,
      drop: async (consumer, id) => (await held?.drop(consumer, id)) ?? false,
    }),
  );
}

/** Selects one dead message by its id, or all, optionally of a single receiver. */
interface DeadMessageFilter {
  readonly id: string | undefined;
  readonly all: true | undefined;
  readonly receiver: string | undefined;
}

export interface DeadAction {
  readonly verb: "drop" | "replay";
  /** The past participle for the command's output. */
  readonly done: string;
}

/** Replays or drops the selected dead messages and prints their number. */
export async function applyToDead(
  { verb, done }: DeadAction,
  options: PlaceOptions & DeadMessageFilter,
  io: IO,
): Promise<ExitCode> {
  const place = await placeOf(options, io);
  if ((options.id === undefined) === (options.all === undefined))
    throw new Refusal(`"fw dead ${verb}" needs the id of a message, or --all`);
  const { id, receiver } = options;
  const total = await withDeadLetters(place, async (dead) => {
    const all = await dead.list();
    const matching = all.filter((message) => message.id === (id ?? message.id) && isForReceiver(receiver, message));
    let count = 0;
    for (const message of matching) if (await retryWhileHeld(() => dead[verb](message.consumer, message.id))) count++;
    return count;
  });
  if (total === 0) io.err.write("no such dead message\n");
  else io.out.write(`${total === 1 ? "1 message was" : `${total} messages were`} ${done}\n`);
  return total === 0 ? 1 : 0;
}

/** True if the message belongs to `receiver`, or if no receiver is given. */
export function isForReceiver(receiver: string | undefined, { consumer }: ListedDead): boolean {
  return receiver === undefined || receiver === consumer;
}

/** Retries, because Pub/Sub may withhold a message that was just listed until its lease expires. */
async function retryWhileHeld(deal: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 1; attempt < attempts; attempt++) {
    if (await deal()) return true;
    await setTimeout(pauseMs);
  }
  return deal();
}

/** The number of attempts, and the milliseconds between them. */
const attempts = 20;
const pauseMs = 250;

function deadLettersOfServer(server: Server): DeadLetters {
  const ask = async (path: string, body?: string): Promise<unknown> => {
    const answer = await server.post(`dev/operate/${path}`, body);
    if (answer.status !== 200) throw refusalOf(answer);
    return answer.body;
  };
  const done =
    (path: string) =>
    async (consumer: string, id: string): Promise<boolean> =>
      ((await ask(path, JSON.stringify({ consumer, id }))) as { done: boolean }).done;
  return {
    list: async () => (await ask("dead")) as ListedDead[],
    replay: done("replay"),
    drop: done("drop"),
  };
}

function listDead(message: DeadMessage): ListedDead {
  return { ...message, sent: message.sent.toISOString(), died: message.died.toISOString() };
}

/** Formats one message per line: time of death, receiver, id, and the first line of the error. */
export function deadLines(messages: readonly ListedDead[]): string {
  return messages.map(deadLine).join("");
}

function deadLine({ died, consumer, attempts, id, reason, waits }: ListedDead): string {
  const [why = ""] = reason.split("\n", 1);
  if (waits) return `${died}  ${consumer}  ${id}  waits for a version that accepts it: ${visible(why)}\n`;
  return `${died}  ${consumer}  ${id}  after ${attempts} attempts: ${visible(why)}\n`;
}

export function deadJSON({ consumer, destination, ...message }: ListedDead): unknown {
  return { ...message, receiver: consumer, carrier: destination };
}
