import type { Dispatcher } from "../../platform/messages.ts";

/** Takes the body of a request, and makes what is answered as JSON. Where nothing is delivered there is no dispatcher. */
export type DispatcherOperation = (dispatcher: Dispatcher | undefined, body: string) => Promise<unknown>;

/** What commands of the same user ask of the dispatcher, by path below `/_fw/`. */
export const dispatcherOperations: ReadonlyMap<string, DispatcherOperation> = new Map<string, DispatcherOperation>([
  ["dev/operate/idle", async (dispatcher) => dispatcher?.idle()],
  ["dev/operate/dead", listDead],
  ["dev/operate/replay", replayDead],
  ["dev/operate/drop", dropDead],
]);

/** The newest dead messages, at most 1,000. */
async function listDead(dispatcher: Dispatcher | undefined): Promise<unknown> {
  return (await dispatcher?.dead({ limit: 1000 })) ?? [];
}

/** The body names the message and its consumer. */
async function replayDead(dispatcher: Dispatcher | undefined, body: string): Promise<unknown> {
  const { consumer, id } = namedIn(body);
  return { done: (await dispatcher?.replay(consumer, id)) ?? false };
}

/** The body names the message and its consumer. */
async function dropDead(dispatcher: Dispatcher | undefined, body: string): Promise<unknown> {
  const { consumer, id } = namedIn(body);
  return { done: (await dispatcher?.drop(consumer, id)) ?? false };
}

function namedIn(body: string): { readonly consumer: string; readonly id: string } {
  return JSON.parse(body) as { readonly consumer: string; readonly id: string };
}
