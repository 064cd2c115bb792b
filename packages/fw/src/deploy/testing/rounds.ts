import type { CloudClient } from "../../platform/gcp/rest/client.ts";

/**
 * A client that counts rounds of concurrent calls. If all calls take equally long, a deploy waits for this many calls
 * one after another.
 */
export interface Rounds extends Pick<CloudClient, "call"> {
  readonly rounds: () => number;
}

/** Returns a client that resolves all calls in flight together, as one round. */
export function inRounds(client: Pick<CloudClient, "call">): Rounds {
  let [rounds, underWay] = [0, 0];
  let waiting: (() => void)[] = [];
  const isRound = (): boolean => waiting.length > 0 && waiting.length === underWay;
  // Code that follows a response directly runs before the next turn of the event loop.
  const turn = (): void => {
    if (isRound()) setImmediate(() => isRound() && end());
  };
  const end = (): void => {
    const all = waiting;
    [waiting, underWay] = [[], 0];
    rounds += 1;
    for (const release of all) release();
  };
  return {
    rounds: () => rounds,
    async call<Answer>(request: Parameters<CloudClient["call"]>[0]): Promise<Answer> {
      underWay += 1;
      try {
        return await client.call<Answer>(request);
      } finally {
        await new Promise<void>((release) => {
          waiting.push(release);
          turn();
        });
      }
    },
  };
}
