import type { CloudError } from "../rest/cloud-error.ts";
import type { CommitRequest, Datastore } from "./datastore.ts";

/** Attempts of a commit whose effect is unknown, or that met contention. */
const commitAttempts = 6;

/** Milliseconds before the second attempt, at most; as many more before each further one. */
const pauseMs = 50;

/** The errors of a commit that was refused because something has changed, or because its transaction has ended. */
export const changedCodes: readonly string[] = ["ABORTED", "FAILED_PRECONDITION", "ALREADY_EXISTS", "NOT_FOUND"];

/** A Datastore transaction that met contention has ended; a commit without one may be sent again. */
export function isPassing({ code, unknownEffect, status }: CloudError, { transaction }: CommitRequest): boolean {
  return unknownEffect || status === 0 || (code === "ABORTED" && transaction === undefined);
}

export function isLastAttempt({ lifetime }: Datastore, attempt: number): boolean {
  return attempt === commitAttempts || lifetime?.isOver === true;
}

export function pauseAfter({ clock }: Datastore, attempt: number): Promise<void> {
  return clock.sleep(pauseMs * attempt * Math.random(), undefined, { contention: true });
}
