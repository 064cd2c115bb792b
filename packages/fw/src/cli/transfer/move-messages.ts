import type { CopySide } from "../../platform/transfer/copy.ts";
import { messageDigestsOf, type ListDigest } from "../../platform/transfer/digest.ts";
import { copyMessages, deadPages, waitingPages } from "../../platform/transfer/messages.ts";
import { Refusal } from "../command.ts";

/** The number of messages by location, such as `queue:emails` or `dead messages`. */
export type WaitingCounts = ReadonlyMap<string, number>;

export interface MessageSide extends CopySide {
  /** Counts the waiting messages of a store that cannot list them. */
  readonly countWaiting?: () => Promise<WaitingCounts>;
}

/** Refuses a final run that would leave messages behind, and lists where they are. */
export async function refuseWaiting(source: MessageSide, target: MessageSide): Promise<void> {
  if (source.messages !== undefined && target.messages !== undefined) return;
  const counts = [...(await waitingIn(source))].filter(([, messages]) => messages > 0);
  if (counts.length === 0) return;
  const list = counts.map(([place, messages]) => `  ${place}  ${messages}\n`).join("");
  throw new Refusal(
    `messages are waiting in the source, and fw cannot move them from or to Google Cloud:\n${list}` +
      "start the application until it has delivered them, or leave them behind with --leave-messages",
  );
}

/**
 * Copies the messages if both stores can list them, and returns the digests of each store's messages; two empty lists
 * otherwise.
 */
export async function moveMessages(
  { messages: from }: MessageSide,
  { messages: to }: MessageSide,
): Promise<readonly (readonly ListDigest[])[]> {
  if (from === undefined || to === undefined) return [[], []];
  await copyMessages(from, to);
  return Promise.all([messageDigestsOf(from), messageDigestsOf(to)]);
}

async function waitingIn({ messages, countWaiting }: MessageSide): Promise<WaitingCounts> {
  if (messages === undefined) return (await countWaiting?.()) ?? new Map();
  const counts = new Map<string, number>();
  for await (const page of waitingPages(messages))
    for (const { destination } of page) counts.set(destination, (counts.get(destination) ?? 0) + 1);
  for await (const page of deadPages(messages))
    counts.set("dead messages", (counts.get("dead messages") ?? 0) + page.length);
  return counts;
}
