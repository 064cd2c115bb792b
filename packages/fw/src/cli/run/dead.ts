import { setTimeout } from "node:timers/promises";
import { visible } from "../../lib/visible.ts";
import type { DeadMessage, DeadOptions } from "../../platform/messages.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { PlaceOptions } from "../data/options.ts";
import { isDeployed, placeOf, withData, type DataPlace } from "../data/local-or-deployed.ts";
import type { IO } from "../io.ts";
import { answeringServer, refusalOf, type Server } from "./server.ts";

/** A dead message in a list, with times in RFC 3339 format. */
export type ListedDead = Omit<DeadMessage, "sent" | "died"> & { readonly sent: string; readonly died: string };

/**
 * The dead messages of a deployed or a local application. Local ones come from the running server, or else from the
 * data.
 */
export interface DeadLetters extends Readonly<
  Record<DeadAction["verb"], (consumer: string, id: string) => Promise<boolean>>
> {
  /** Lists at most `pageLength` messages. */
  readonly list: (page: DeadPage) => Promise<readonly ListedDead[]>;
}

type DeadPage = Pick<DeadOptions, "consumer" | "after">;

/** The maximum number of messages in a list. */
const pageLength = 1000;

export async function withDeadLetters<T>(place: DataPlace, work: (dead: DeadLetters) => Promise<T>): Promise<T> {
  const server = isDeployed(place) ? undefined : await answeringServer(place);
  if (server !== undefined) return work(deadLettersOfServer(server));
  return withData(place, ({ heldMessages: held }) =>
    work({
      list: async (page) => ((await held?.dead({ ...page, limit: pageLength })) ?? []).map(listDead),
      replay: async (consumer, id) => (await held?.replay(consumer, id)) ?? false,
      drop: async (consumer, id) => (await held?.drop(consumer, id)) ?? false,
    }),
  );
}

/** The dead messages to act on: one by its id, or all, optionally of a single receiver. */
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
    const matching = (await listAllDead(dead, receiver)).filter((message) => message.id === (id ?? message.id));
    let count = 0;
    for (const message of matching) if (await retryWhileHeld(() => dead[verb](message.consumer, message.id))) count++;
    return count;
  });
  if (total === 0) io.err.write("no such dead message\n");
  else io.out.write(`${total === 1 ? "1 message was" : `${total} messages were`} ${done}\n`);
  return total === 0 ? 1 : 0;
}

/** Returns the query for the messages of a receiver, or for all messages if no receiver is given. */
export function pageOf(receiver: string | undefined): DeadPage {
  return receiver === undefined ? {} : { consumer: receiver };
}

/** Returns all dead messages, or all of a receiver, without their bodies, which could fill the memory. */
async function listAllDead(
  { list }: DeadLetters,
  receiver: string | undefined,
): Promise<readonly Pick<ListedDead, "consumer" | "id">[]> {
  const all = new Map<string, Pick<ListedDead, "consumer" | "id">>();
  for (let after = 0, sizeBefore = -1; all.size > sizeBefore;) {
    sizeBefore = all.size;
    const page = await list({ ...pageOf(receiver), after });
    for (const { consumer, id, position } of page) all.set(JSON.stringify([consumer, id, position]), { consumer, id });
    const last = page.at(-1);
    if (last === undefined || page.length < pageLength) break;
    // Pages overlap, because messages in Pub/Sub can have the same position.
    after = last.position - 1;
  }
  return [...all.values()];
}

/**
 * Retries an action until it finds the message, at most `attempts` times. Returns false if it never does. Pub/Sub may
 * withhold a message that was just listed until its lease expires.
 */
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
    // A server of an earlier fw lists the messages of all receivers.
    list: async (page) => {
      const listed = (await ask("dead", JSON.stringify(page))) as ListedDead[];
      return listed.filter(({ consumer }) => consumer === (page.consumer ?? consumer));
    },
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
