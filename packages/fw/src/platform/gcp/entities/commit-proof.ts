import type { Key } from "../../contract.ts";
import { PlatformError } from "../../errors.ts";
import { CloudError } from "../rest/cloud-error.ts";
import { isLastAttempt, isPassing, pauseAfter } from "./commit-retry.ts";
import type { Datastore, Mutation } from "./datastore.ts";
import { expiryOf, unindexed, type EntityResult } from "./stored-document.ts";

/**
 * The lifetime of a proof in milliseconds. No attempt of its commit can arrive later: an attempt has 15 seconds, a
 * transaction of Datastore 270, and a TTL policy deletes up to a day after this.
 */
const proofMs = 3_600_000;

/** Set on a proof that was inserted to keep its commit from having an effect. */
const sealProperty = "sealed";

/**
 * The mutation that proves its commit: an insert under a key of its own, so that of several attempts only one succeeds.
 */
export function proofOf(datastore: Datastore, id: string): Mutation {
  const expires = new Date(datastore.now() + proofMs);
  return { insert: { key: datastore.keyOf(keyOf(id)), properties: expiryOf(expires) } };
}

/**
 * Resolves with the version that the commit has made; undefined where none of its attempts had an effect so far.
 * Rejects with `unreachable` where the proof cannot be read.
 */
export async function findProof(datastore: Datastore, id: string): Promise<string | undefined> {
  try {
    return versionOf((await datastore.lookup([keyOf(id)])).found[0]);
  } catch (error) {
    throw unknownOutcome(error);
  }
}

/**
 * Decides the outcome of a commit whose attempts may still be under way: resolves with its version, or inserts a sealed
 * proof, so that every attempt that arrives later is refused, and resolves with undefined. Rejects with `unreachable`
 * where it can do neither.
 */
export async function settle(datastore: Datastore, id: string): Promise<string | undefined> {
  const { insert } = proofOf(datastore, id);
  const properties = { ...insert?.properties, [sealProperty]: unindexed({ booleanValue: true }) };
  const request = { mutations: [{ insert: { ...insert, properties } }] };
  for (let attempt = 1; ; attempt++) {
    try {
      await datastore.commit(request);
      return undefined;
    } catch (error) {
      if (!(error instanceof CloudError)) throw unknownOutcome(error);
      // The commit has had its effect, or an earlier attempt to seal it has.
      if (error.code === "ALREADY_EXISTS") return findProof(datastore, id);
      if (!isPassing(error, request) || isLastAttempt(datastore, attempt)) throw unknownOutcome(error);
    }
    await pauseAfter(datastore, attempt);
  }
}

function versionOf(result: EntityResult | undefined): string | undefined {
  return result?.entity?.properties?.[sealProperty] === undefined ? result?.version : undefined;
}

function unknownOutcome(error: unknown): PlatformError {
  const cause = error instanceof Error ? error.message : String(error);
  return new PlatformError("unreachable", `whether a commit was carried out is not known (${cause})`);
}

function keyOf(id: string): Key {
  return { kind: "_fw_commits", id };
}
