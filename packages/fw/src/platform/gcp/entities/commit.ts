import { CloudError } from "../rest/cloud-error.ts";
import { findProof, proofOf, settle } from "./commit-proof.ts";
import { isLastAttempt, isPassing, pauseAfter } from "./commit-retry.ts";
import { platformError, type CommitRequest, type Datastore } from "./datastore.ts";

/**
 * Commits at most once, however many attempts it takes: each carries the same proof, which can be inserted only once.
 * Resolves with the versions of the mutations. Rejects with a CloudError only where no attempt has, or can still have,
 * an effect; where that stays unknown, with `unreachable`, which no caller repeats. `id` is unique to the commit.
 */
export async function commitOnce(
  datastore: Datastore,
  { mutations, ...rest }: CommitRequest,
  id: string,
): Promise<readonly string[]> {
  const request = { ...rest, mutations: [...mutations, proofOf(datastore, id)] };
  let unknown = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return (await datastore.commit(request)).slice(0, mutations.length);
    } catch (error) {
      if (!(error instanceof CloudError)) throw error;
      // A refusal may be due to the effect of an earlier attempt.
      unknown ||= error.unknownEffect;
      let version = unknown ? await findProof(datastore, id) : undefined;
      if (version === undefined && (!isPassing(error, request) || isLastAttempt(datastore, attempt))) {
        if (error.unknownEffect) throw platformError(error);
        if (unknown) version = await settle(datastore, id);
        if (version === undefined) throw unknown && request.transaction !== undefined ? endedError(error) : error;
      }
      if (version !== undefined) return mutations.map(() => version);
    }
    await pauseAfter(datastore, attempt);
  }
}

/**
 * A retry in a Datastore transaction that an earlier attempt has ended is refused as invalid; the work may run again.
 */
function endedError(error: CloudError): CloudError {
  if (error.code !== "INVALID_ARGUMENT") return error;
  return new CloudError(error.message, { status: 409, code: "ABORTED", unknownEffect: false }, { cause: error });
}
