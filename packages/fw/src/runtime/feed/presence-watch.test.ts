import { expect, test } from "vitest";
import { ChangeListeners } from "../../platform/changes.ts";
import { SteppedClock } from "../../platform/stepped-clock.ts";
import { feedPresenceKind } from "./kinds.ts";
import { PresenceWatch } from "./presence-watch.ts";

const writeOf = (log: string) => [{ kind: feedPresenceKind, id: `${log}.1` }];

test("all followers of a log share one read for each change, and a failed read is tried again", async () => {
  const clock = new SteppedClock(0);
  const changes = new ChangeListeners();
  const failures: unknown[] = [];
  let names: readonly string[] = ["ada"];
  let reads = 0;
  let broken: Error | undefined;
  const presence = {
    async names() {
      reads++;
      if (broken !== undefined) throw broken;
      return names;
    },
  };
  const watch = new PresenceWatch({ presence, changes, clock, failed: (error) => failures.push(error) });
  const { signal } = new AbortController();
  const clients = [1, 2, 3].map(() => watch.follow("a", signal));
  const next = async () => (await Promise.all(clients.map((each) => each.next()))).map(({ value }) => value);
  expect([await next(), reads]).toEqual([[["ada"], ["ada"], ["ada"]], 1]);
  const following = next();
  await clock.advance(0);
  // A renewal changes no name, and names of other logs are not read.
  changes.notify(writeOf("a"));
  changes.notify(writeOf("b"));
  await clock.advance(0);
  expect(reads).toBe(2);
  broken = new Error("unreachable");
  changes.notify(writeOf("a"));
  await clock.advance(0);
  expect([reads, failures]).toEqual([3, [broken]]);
  [broken, names] = [undefined, ["ada", "bo"]];
  await clock.advance(100);
  expect([await following, reads]).toEqual([[names, names, names], 4]);
  for (const client of clients) await client.return(undefined);
  expect(changes.isEmpty).toBe(true);
});

test("a follower whose client disconnects while it handles the names ends", async () => {
  const changes = new ChangeListeners();
  const presence = { names: async () => ["ada"] };
  const watch = new PresenceWatch({ presence, changes, clock: new SteppedClock(0), failed: () => {} });
  const client = new AbortController();
  const names = watch.follow("a", client.signal);
  expect(await names.next()).toEqual({ done: false, value: ["ada"] });
  client.abort();
  expect(await names.next()).toEqual({ done: true, value: undefined });
  expect(changes.isEmpty).toBe(true);
});
