import { CloudError } from "../rest/cloud-error.ts";
import { isLastAttempt, isTransient, pauseAfter } from "./commit-retry.ts";
import { platformError, type CommitRequest, type Datastore, type Mutation } from "./datastore.ts";
import type { Key } from "../../contract.ts";
import { PlatformError } from "../../errors.ts";
import { expiryOf, unindexed, type EntityResult } from "./stored-document.ts";

/**
 * Commits at most once across retries: each attempt inserts the same proof, which exists only once. Resolves with the
 * versions of the mutations. Rejects with a CloudError only if no attempt has had or can have an effect. Rejects with
 * `unreachable`, which no caller retries, if that remains unknown. `id` must be unique to the commit. Once `isCurrent`
 * returns false, makes no further attempt. If no earlier attempt took effect, it then fails like a conflict.
 */
export async function commitOnce(
  datastore: Datastore,
  { mutations, ...rest }: CommitRequest,
  id: string,
  isCurrent: () => boolean,
): Promise<readonly string[]> {
  const request = { ...rest, mutations: [...mutations, proofOf(datastore, id)] };
  let isOutcomeUnknown = false;
  for (let attempt = 1; ; attempt++) {
    if (!isCurrent()) {
      const version = isOutcomeUnknown ? await settle(datastore, id) : undefined;
      if (version === undefined) throw abortedError("the commit was prepared too long ago");
      return mutations.map(() => version);
    }
    try {
      return (await datastore.commit(request)).slice(0, mutations.length);
    } catch (error) {
      if (!(error instanceof CloudError)) throw error;
      // An earlier attempt that took effect may have caused the refusal.
      isOutcomeUnknown ||= error.unknownEffect;
      let version = isOutcomeUnknown ? await findProof(datastore, id) : undefined;
      if (version === undefined && (!isTransient(error, request) || isLastAttempt(datastore, attempt))) {
        if (error.unknownEffect) throw platformError(error);
        if (isOutcomeUnknown) version = await settle(datastore, id);
        if (version === undefined)
          throw isOutcomeUnknown && request.transaction !== undefined ? endedError(error) : error;
      }
      if (version !== undefined) return mutations.map(() => version);
    }
    await pauseAfter(datastore, attempt);
  }
}

/**
 * Converts an invalid-argument error to `ABORTED`, so that the work may run again. Datastore reports it if an earlier
 * attempt has ended the transaction.
 */
function endedError(error: CloudError): CloudError {
  return error.code === "INVALID_ARGUMENT" ? abortedError(error.message, error) : error;
}

function abortedError(message: string, cause?: CloudError): CloudError {
  return new CloudError(message, { status: 409, code: "ABORTED", unknownEffect: false }, cause && { cause });
}

/**
 * The lifetime of a proof in milliseconds. No attempt to commit can arrive later: an attempt times out after 15 seconds
 * and a Datastore transaction after 270. The TTL policy deletes the proof up to a day after it expires.
 */
const proofMs = 3_600_000;

/** The property that marks a proof inserted to block its commit. */
const sealProperty = "sealed";

/**
 * Returns the mutation that proves the commit: an insert with an idempotency key, so that at most one of several
 * attempts succeeds.
 */
export function proofOf(datastore: Datastore, id: string): Mutation {
  const expires = new Date(datastore.now() + proofMs);
  return { insert: { key: datastore.keyOf(keyOf(id)), properties: expiryOf(expires) } };
}

/**
 * Resolves with the commit's version, or undefined if no attempt has taken effect so far. Rejects with `unreachable` if
 * the proof cannot be read.
 */
async function findProof(datastore: Datastore, id: string): Promise<string | undefined> {
  try {
    return versionOf((await datastore.lookup([keyOf(id)])).results[0]);
  } catch (error) {
    throw unknownOutcome(error);
  }
}

/**
 * Decides the outcome of a commit that may still have attempts in flight. Resolves with its version. If it has not
 * taken effect, inserts a sealed proof, which makes later attempts fail, and resolves with undefined. Rejects with
 * `unreachable` if the outcome remains unknown.
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
      // Either the commit has taken effect, or an earlier attempt to seal it has.
      if (error.code === "ALREADY_EXISTS") return findProof(datastore, id);
      if (!isTransient(error, request) || isLastAttempt(datastore, attempt)) throw unknownOutcome(error);
    }
    await pauseAfter(datastore, attempt);
  }
}

function versionOf(result: EntityResult | undefined): string | undefined {
  return result?.entity?.properties?.[sealProperty] === undefined ? result?.version : undefined;
}

function unknownOutcome(error: unknown): PlatformError {
  const cause = error instanceof Error ? error.message : String(error);
  return new PlatformError("unreachable", `the outcome of a commit is unknown (${cause})`);
}

function keyOf(id: string): Key {
  return { kind: "_fw_commits", id };
}
