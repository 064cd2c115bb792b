import { visible } from "../../lib/visible.ts";
import type { DeadMessage } from "../../platform/messages.ts";
import { withPlaced, type DataPlace } from "../data/place.ts";
import { answeringServer, refusalOf, type Server } from "./server.ts";

/** A dead message as it is listed; times are text of RFC 3339. */
export type ListedDead = Omit<DeadMessage, "sent" | "died"> & { readonly sent: string; readonly died: string };

/** The dead messages of an application: through its server, or from its data where none is running. */
export interface DeadLetters {
  readonly list: () => Promise<readonly ListedDead[]>;
  readonly replay: (consumer: string, id: string) => Promise<boolean>;
}

/** The most that are listed. */
const most = 1000;

export async function withDead<T>(place: DataPlace, work: (dead: DeadLetters) => Promise<T>): Promise<T> {
  const server = await answeringServer(place);
  if (server !== undefined) return work(through(server));
  return withPlaced(place, ({ platform: { dispatcher } }) =>
    work({
      list: async () => ((await dispatcher?.dead({ limit: most })) ?? []).map(listed),
      replay: async (consumer, id) => (await dispatcher?.replay(consumer, id)) ?? false,
    }),
  );
}

function through(server: Server): DeadLetters {
  const ask = async (path: string, body?: string): Promise<unknown> => {
    const answer = await server.post(`dev/operate/${path}`, body);
    if (answer.status !== 200) throw refusalOf(answer);
    return answer.body;
  };
  return {
    list: async () => (await ask("dead")) as ListedDead[],
    replay: async (consumer, id) =>
      ((await ask("replay", JSON.stringify({ consumer, id }))) as { replayed: boolean }).replayed,
  };
}

function listed(message: DeadMessage): ListedDead {
  return { ...message, sent: message.sent.toISOString(), died: message.died.toISOString() };
}

/** One a line: when it died, whose it was, its id, and the first line of why. */
export function deadLine({ died, consumer, attempts, id, reason }: ListedDead): string {
  const [why = ""] = reason.split("\n", 1);
  return `${died}  ${consumer}  ${id}  after ${attempts} attempts: ${visible(why)}\n`;
}

/** As `--json` prints it. */
export function deadJSON({ consumer, destination, ...message }: ListedDead): unknown {
  return { ...message, receiver: consumer, carrier: destination };
}
