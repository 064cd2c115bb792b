import { CloudError } from "../rest/cloud-error.ts";
import { findProof, proofOf, settle } from "./commit-proof.ts";
import { isLastAttempt, isTransient, pauseAfter } from "./commit-retry.ts";
import { platformError, type CommitRequest, type Datastore } from "./datastore.ts";

/**
 * Commits at most once across retries: each attempt has the same proof, which can be inserted only once. Resolves with
 * the versions of the mutations. Rejects with a CloudError only if no attempt has taken or can take effect; if that
 * stays unknown, with `unreachable`, which no caller retries. `id` must be unique to the commit. Once `isCurrent`
 * returns false it sends no further attempt and fails as if another write had come first.
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
      // The refusal may be due to the effect of an earlier attempt.
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
 * Converts the error of a retry whose Datastore transaction an earlier attempt has ended (an invalid argument), so that
 * the work may run again.
 */
function endedError(error: CloudError): CloudError {
  return error.code === "INVALID_ARGUMENT" ? abortedError(error.message, error) : error;
}

function abortedError(message: string, cause?: CloudError): CloudError {
  return new CloudError(message, { status: 409, code: "ABORTED", unknownEffect: false }, cause && { cause });
}
