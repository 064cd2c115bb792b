import type { KeyObject } from "node:crypto";
import { cloudAttemptMs } from "../../../lib/limits.ts";
import type { Clock } from "../../contract.ts";
import type { Connections } from "./connections.ts";
import type { Hosts } from "./hosts.ts";
import { verifyingKey, type Jwk } from "./jws.ts";
import { wholeText } from "./whole-text.ts";

/** The keys of who signs tokens. */
export interface KeySet {
  /** The key of this id, undefined where there is none. Rejects where the keys cannot be had. */
  key(kid: string): Promise<KeyObject | undefined>;
}

/** Milliseconds for which keys are kept whose answer does not say for how long, and at least. */
const shortestMs = 60_000;

/** Milliseconds for which keys are kept at most, and used while no newer ones can be had. */
const longestMs = 86_400_000;

/** Milliseconds between two looks for a key that is not among those kept: a token can name any. */
const unknownMs = 30_000;

interface Kept {
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly fetched: number;
  /** From when they are fetched anew. */
  readonly until: number;
}

/** How keys are fetched. */
export interface KeySource {
  readonly connections: Connections;
  readonly hosts: Hosts;
  readonly clock: Clock;
}

/** Keys that are published at a URL: kept for as long as their answer says, and fetched anew for one that is not among them. */
export function publishedKeys(url: string, { connections, hosts, clock }: KeySource): KeySet {
  let kept: Kept | undefined;
  let fetching: Promise<Kept> | undefined;

  const load = async (): Promise<Kept> => {
    const { pathname, search } = new URL(url);
    const outgoing = { method: "GET", path: pathname + search, headers: {}, answerMs: cloudAttemptMs };
    const answer = await connections.send({ ...outgoing, target: hosts(new URL(url)) });
    const said = await wholeText(answer.body);
    if (answer.status !== 200) throw new Error(`the keys at ${url} were answered with ${answer.status}`);
    const fetched = clock.elapsed();
    return { keys: readKeys(said), fetched, until: fetched + maxAgeOf(answer.headers["cache-control"]) };
  };

  const renew = (): Promise<Kept> => {
    fetching ??= load()
      .then((loaded) => (kept = loaded))
      .finally(() => (fetching = undefined));
    return fetching;
  };

  const current = async (): Promise<Kept> => {
    const now = clock.elapsed();
    if (kept !== undefined && now < kept.until) return kept;
    const before = kept;
    return renew().catch((error: unknown) => {
      if (before !== undefined && now < before.fetched + longestMs) return before;
      throw error;
    });
  };

  return {
    key: async (kid) => {
      const found = await current();
      const key = found.keys.get(kid);
      if (key !== undefined || clock.elapsed() - found.fetched < unknownMs) return key;
      return (await renew()).keys.get(kid);
    },
  };
}

function readKeys(said: string): ReadonlyMap<string, KeyObject> {
  const { keys } = JSON.parse(said) as { keys: readonly Jwk[] };
  const read = keys.map((jwk) => [jwk.kid, verifyingKey(jwk)] as const);
  return new Map(read.filter((row): row is [string, KeyObject] => row[0] !== undefined && row[1] !== undefined));
}

function maxAgeOf(cacheControl: string | undefined): number {
  const seconds = /(?:^|[\s,])max-age=(\d+)/i.exec(cacheControl ?? "")?.[1];
  return Math.min(longestMs, Math.max(shortestMs, Number(seconds ?? 0) * 1000));
}
