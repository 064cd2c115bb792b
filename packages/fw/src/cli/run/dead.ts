import { setTimeout } from "node:timers/promises";
import { visible } from "../../lib/visible.ts";
import type { DeadMessage } from "../../platform/messages.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { PlaceOptions } from "../data/options.ts";
import { isDeployed, placeOf, withPlaced, type DataPlace } from "../data/local-or-deployed.ts";
import type { IO } from "../io.ts";
import { answeringServer, refusalOf, type Server } from "./server.ts";

/** A dead message as it is listed; times are text of RFC 3339. */
export type ListedDead = Omit<DeadMessage, "sent" | "died"> & { readonly sent: string; readonly died: string };

/** The dead messages of an application: where it is deployed, through its server, or from its data where none is running. */
export interface DeadLetters extends Readonly<
  Record<Deed["verb"], (consumer: string, id: string) => Promise<boolean>>
> {
  readonly list: () => Promise<readonly ListedDead[]>;
}

/** The most that are listed. */
const most = 1000;

export async function withDead<T>(place: DataPlace, work: (dead: DeadLetters) => Promise<T>): Promise<T> {
  const server = isDeployed(place) ? undefined : await answeringServer(place);
  if (server !== undefined) return work(through(server));
  return withPlaced(place, ({ held }) =>
    work({
      list: async () => ((await held?.dead({ limit: most })) ?? []).map(listed),
      replay: async (consumer, id) => (await held?.replay(consumer, id)) ?? false,
      drop: async (consumer, id) => (await held?.drop(consumer, id)) ?? false,
    }),
  );
}

/** Which of them a command is about: one by its id, or all; of one receiver where it is named. */
interface Chosen {
  readonly id: string | undefined;
  readonly all: true | undefined;
  readonly receiver: string | undefined;
}

/** What a command does with dead messages. */
export interface Deed {
  readonly verb: "drop" | "replay";
  /** What then is so of a message. */
  readonly done: string;
}

/** Replays or drops the dead messages that the command line means, and says how many. */
export async function dealWithDead({ verb, done }: Deed, asked: PlaceOptions & Chosen, io: IO): Promise<ExitCode> {
  const place = await placeOf(asked, io);
  if ((asked.id === undefined) === (asked.all === undefined))
    throw new Refusal(`"fw dead ${verb}" takes the id of a message, or --all`);
  const { id, receiver } = asked;
  const count = await withDead(place, async (dead) => {
    const all = await dead.list();
    const meant = all.filter((message) => message.id === (id ?? message.id) && isOf(receiver, message));
    let dealtWith = 0;
    for (const message of meant) if (await insisted(() => dead[verb](message.consumer, message.id))) dealtWith++;
    return dealtWith;
  });
  if (count === 0) io.err.write("there is no such dead message\n");
  else io.out.write(`${count === 1 ? "1 message is" : `${count} messages are`} ${done}\n`);
  return count === 0 ? 1 : 0;
}

/** Whether a message is of the receiver that is named, where one is. */
export function isOf(receiver: string | undefined, { consumer }: ListedDead): boolean {
  return receiver === undefined || receiver === consumer;
}

/** What was just listed comes back into the hands of Pub/Sub a moment later. */
async function insisted(deal: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 1; attempt < attempts; attempt++) {
    if (await deal()) return true;
    await setTimeout(pauseMs);
  }
  return deal();
}

/** How often a message is looked for that was listed, and milliseconds between two times. */
const attempts = 20;
const pauseMs = 250;

function through(server: Server): DeadLetters {
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

function listed(message: DeadMessage): ListedDead {
  return { ...message, sent: message.sent.toISOString(), died: message.died.toISOString() };
}

/** One a line: when it died, whose it was, its id, and the first line of why. */
export function deadLines(messages: readonly ListedDead[]): string {
  return messages.map(deadLine).join("");
}

function deadLine({ died, consumer, attempts, id, reason }: ListedDead): string {
  const [why = ""] = reason.split("\n", 1);
  return `${died}  ${consumer}  ${id}  after ${attempts} attempts: ${visible(why)}\n`;
}

/** As `--json` prints it. */
export function deadJSON({ consumer, destination, ...message }: ListedDead): unknown {
  return { ...message, receiver: consumer, carrier: destination };
}
