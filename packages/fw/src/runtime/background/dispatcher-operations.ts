import type { DeadOptions, Dispatcher } from "../../platform/messages.ts";

/**
 * Receives the body of a request and returns the response, which is sent as JSON. The dispatcher is undefined in a
 * service that delivers nothing.
 */
export type DispatcherOperation = (dispatcher: Dispatcher | undefined, body: string) => Promise<unknown>;

/** The path that reports the state of the data to commands of the same user. */
export const statusPath = "dev/operate/status";

/** Operations on the dispatcher for commands of the same user, by path below `/_fw/`. */
export const dispatcherOperations: ReadonlyMap<string, DispatcherOperation> = new Map<string, DispatcherOperation>([
  ["dev/operate/idle", async (dispatcher) => dispatcher?.idle()],
  ["dev/operate/dead", listDead],
  ["dev/operate/replay", (dispatcher, body) => settleDead("replay", dispatcher, body)],
  ["dev/operate/drop", (dispatcher, body) => settleDead("drop", dispatcher, body)],
]);

/** Lists the oldest dead letters, at most 1,000. The body may name their consumer, and a position to start after. */
async function listDead(dispatcher: Dispatcher | undefined, body: string): Promise<unknown> {
  const page = (body === "" ? {} : JSON.parse(body)) as Pick<DeadOptions, "consumer" | "after">;
  return (await dispatcher?.dead({ ...page, limit: 1000 })) ?? [];
}

/** Replays or drops a dead letter. The body names its message and consumer. */
async function settleDead(
  how: "replay" | "drop",
  dispatcher: Dispatcher | undefined,
  body: string,
): Promise<{ readonly done: boolean }> {
  const { consumer, id } = JSON.parse(body) as { readonly consumer: string; readonly id: string };
  return { done: (await dispatcher?.[how](consumer, id)) ?? false };
}
