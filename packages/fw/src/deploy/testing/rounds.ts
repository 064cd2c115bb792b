import type { CloudClient } from "../../platform/gcp/rest/client.ts";

/** A client that knows how many calls follow one another: whoever's calls take equally long waits for so many. */
export interface Rounds extends Pick<CloudClient, "call"> {
  readonly rounds: () => number;
}

/** Has the answers of all calls that are under way come together, as one round. */
export function inRounds(client: Pick<CloudClient, "call">): Rounds {
  let [rounds, underWay] = [0, 0];
  let answered: (() => void)[] = [];
  const isRound = (): boolean => answered.length > 0 && answered.length === underWay;
  // What follows an answer at once is called before the next turn of the event loop.
  const turn = (): void => {
    if (isRound()) setImmediate(() => isRound() && end());
  };
  const end = (): void => {
    const all = answered;
    [answered, underWay] = [[], 0];
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
          answered.push(release);
          turn();
        });
      }
    },
  };
}
