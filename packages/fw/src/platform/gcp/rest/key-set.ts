import type { KeyObject } from "node:crypto";
import { cloudAttemptMs } from "../../../lib/limits.ts";
import type { Clock } from "../../contract.ts";
import type { Connections } from "./connections.ts";
import type { Hosts } from "./hosts.ts";
import { verifyingKey, type Jwk } from "./jws.ts";
import { readText } from "./read-text.ts";

/** The public keys of a token issuer. */
export interface KeySet {
  /** Returns the key, or undefined if there is none. Rejects if the keys cannot be fetched. */
  key(kid: string): Promise<KeyObject | undefined>;
}

/** The minimum and default cache time of keys, in milliseconds. */
const shortestMs = 60_000;

/** The maximum cache time, in milliseconds, even while newer keys cannot be fetched. */
const longestMs = 86_400_000;

/** Minimum interval in milliseconds between fetches for unknown key ids, because anyone can send a token with one. */
const unknownMs = 30_000;

interface CachedKeys {
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly fetched: number;
  /** The time of the next fetch. */
  readonly until: number;
}

export interface KeySource {
  readonly connections: Connections;
  readonly hosts: Hosts;
  readonly clock: Clock;
}

/** Caches the keys at a URL for the response's max-age, within bounds. Fetches again for an unknown key. */
export function publishedKeys(url: string, { connections, hosts, clock }: KeySource): KeySet {
  let cached: CachedKeys | undefined;
  let fetching: Promise<CachedKeys> | undefined;

  const load = async (): Promise<CachedKeys> => {
    const { pathname, search } = new URL(url);
    const outgoing = { method: "GET", path: pathname + search, headers: {}, answerMs: cloudAttemptMs };
    const answer = await connections.send({ ...outgoing, target: hosts(new URL(url)) });
    const text = await readText(answer.body);
    if (answer.status !== 200) throw new Error(`the request for the keys at ${url} returned ${answer.status}`);
    const fetched = clock.elapsed();
    return { keys: readKeys(text), fetched, until: fetched + maxAgeOf(answer.headers["cache-control"]) };
  };

  const renew = (): Promise<CachedKeys> => {
    fetching ??= load()
      .then((loaded) => (cached = loaded))
      .finally(() => (fetching = undefined));
    return fetching;
  };

  const current = async (): Promise<CachedKeys> => {
    const now = clock.elapsed();
    if (cached !== undefined && now < cached.until) return cached;
    const previous = cached;
    return renew().catch((error: unknown) => {
      if (previous !== undefined && now < previous.fetched + longestMs) return previous;
      throw error;
    });
  };

  return {
    key: async (kid) => {
      const keySet = await current();
      const key = keySet.keys.get(kid);
      if (key !== undefined || clock.elapsed() - keySet.fetched < unknownMs) return key;
      return (await renew()).keys.get(kid);
    },
  };
}

function readKeys(text: string): ReadonlyMap<string, KeyObject> {
  const { keys } = JSON.parse(text) as { keys: readonly Jwk[] };
  const read = keys.map((jwk) => [jwk.kid, verifyingKey(jwk)] as const);
  return new Map(read.filter((row): row is [string, KeyObject] => row[0] !== undefined && row[1] !== undefined));
}

function maxAgeOf(cacheControl: string | undefined): number {
  const seconds = /(?:^|[\s,])max-age=(\d+)/i.exec(cacheControl ?? "")?.[1];
  return Math.min(longestMs, Math.max(shortestMs, Number(seconds ?? 0) * 1000));
}
