import type { CloudError } from "../rest/cloud-error.ts";
import type { CommitRequest, Datastore } from "./datastore.ts";

/** The maximum number of attempts at a commit, after contention or an unknown outcome. */
const commitAttempts = 6;

/**
 * Upper bound of the pause before the second attempt, in milliseconds. Increases by the same amount for each further
 * attempt.
 */
const pauseMs = 50;

/** The error codes of a commit that conflicts with another write, or whose transaction has ended. */
export const changedCodes: readonly string[] = ["ABORTED", "FAILED_PRECONDITION", "ALREADY_EXISTS", "NOT_FOUND"];

/** Whether a retry may succeed. Contention ends a Datastore transaction; a commit without one can be sent again. */
export function isTransient({ code, unknownEffect, status }: CloudError, { transaction }: CommitRequest): boolean {
  return unknownEffect || status === 0 || (code === "ABORTED" && transaction === undefined);
}

export function isLastAttempt({ lifetime }: Datastore, attempt: number): boolean {
  return attempt === commitAttempts || lifetime?.isOver === true;
}

export function pauseAfter({ clock }: Datastore, attempt: number): Promise<void> {
  return clock.sleep(pauseMs * attempt * Math.random(), undefined, { contention: true });
}
