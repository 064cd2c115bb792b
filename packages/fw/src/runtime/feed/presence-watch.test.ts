import { expect, test } from "vitest";
import { ChangeListeners } from "../../platform/changes.ts";
import { SteppedClock } from "../../platform/stepped-clock.ts";
import { feedPresenceKind } from "./kinds.ts";
import { PresenceWatch } from "./presence-watch.ts";

/** Creates documents with these names and expiry times. */
const documentsOf = (names: readonly (readonly [name: string, expires: number])[]) =>
  names.map(([name, expires]) => ({ fields: { name }, ...(expires < Infinity && { expires: new Date(expires) }) }));

const writeOf = (log: string) => [{ kind: feedPresenceKind, id: `${log}.1` }];

test("all followers of a log share one read for each change, and a failed read is tried again", async () => {
  const clock = new SteppedClock(0);
  const changes = new ChangeListeners();
  const failures: unknown[] = [];
  let names: readonly string[] = ["ada"];
  let reads = 0;
  let broken: Error | undefined;
  const presence = {
    async documents() {
      reads++;
      if (broken !== undefined) throw broken;
      return documentsOf(names.map((name) => [name, Infinity]));
    },
  };
  const watch = new PresenceWatch({ presence, changes, clock, failed: (error) => failures.push(error) });
  const { signal } = new AbortController();
  const clients = [1, 2, 3].map(() => watch.follow("a", signal));
  const next = async () => (await Promise.all(clients.map((each) => each.next()))).map(({ value }) => value);
  expect([await next(), reads]).toEqual([[["ada"], ["ada"], ["ada"]], 1]);
  const following = next();
  await clock.advance(0);
  // A renewal does not change the names, and names in other logs are not read.
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
  const presence = { documents: async () => documentsOf([["ada", Infinity]]) };
  const watch = new PresenceWatch({ presence, changes, clock: new SteppedClock(0), failed: () => {} });
  const client = new AbortController();
  const names = watch.follow("a", client.signal);
  expect(await names.next()).toEqual({ done: false, value: ["ada"] });
  client.abort();
  expect(await names.next()).toEqual({ done: true, value: undefined });
  expect(changes.isEmpty).toBe(true);
});

test("names of a process that died disappear when they expire, although no other name changes", async () => {
  const clock = new SteppedClock(0);
  const changes = new ChangeListeners();
  const expiries = new Map([
    ["ada", 60_000],
    ["bo", 70_000],
  ]);
  let reads = 0;
  const presence = {
    async documents() {
      reads++;
      return documentsOf([...expiries].filter(([, expires]) => expires > clock.now()));
    },
  };
  const watch = new PresenceWatch({ presence, changes, clock, failed: () => {} });
  const { signal } = new AbortController();
  const clients = [watch.follow("a", signal), watch.follow("a", signal)];
  const next = async () => (await Promise.all(clients.map((each) => each.next()))).map(({ value }) => value);
  expect(await next()).toEqual([
    ["ada", "bo"],
    ["ada", "bo"],
  ]);
  const afterAda = next();
  // Renewing the other name postpones the wait for its expiry.
  await clock.advance(55_000);
  expiries.set("bo", 100_000);
  changes.notify(writeOf("a"));
  await clock.advance(5_000);
  expect([await afterAda, reads]).toEqual([[["bo"], ["bo"]], 3]);
  const afterBo = next();
  await clock.advance(40_000);
  expect([await afterBo, reads]).toEqual([[[], []], 4]);
  for (const client of clients) await client.return(undefined);
  expect(changes.isEmpty).toBe(true);
  expect(clock.sleeping).toBe(0);
});

test("a store whose clock is late is asked once a second for a name that has expired here", async () => {
  const clock = new SteppedClock(0);
  let reads = 0;
  const presence = {
    async documents() {
      reads++;
      return documentsOf(clock.now() < 63_000 ? [["ada", 60_000]] : []);
    },
  };
  const watch = new PresenceWatch({ presence, changes: new ChangeListeners(), clock, failed: () => {} });
  const client = watch.follow("a", new AbortController().signal);
  expect((await client.next()).value).toEqual(["ada"]);
  const after = client.next();
  await clock.advance(63_000);
  expect([(await after).value, reads]).toEqual([[], 5]);
  await client.return(undefined);
  expect(clock.sleeping).toBe(0);
});
