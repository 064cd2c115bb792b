import { randomUUID } from "node:crypto";
import type { Key } from "../../contract.ts";
import { CloudError } from "../rest/cloud-error.ts";
import type { EntityResult } from "../rest/generated/datastore.ts";
import type { Properties } from "./datastore-values.ts";
import { onlyOver, platformError, type CommitRequest, type Datastore } from "./datastore.ts";
import { writeMark, writeOf } from "./stored-document.ts";

/** How it is known again that a commit was carried out. */
export interface Witness {
  /** A document that the commit writes, or deletes. */
  readonly key: Key;
  /** The name of the write; undefined for a delete. */
  readonly write: string | undefined;
}

/** Times that a commit is made whose effect is not known, or that others were in the way of. */
const commitAttempts = 6;

/** Milliseconds before a commit is made again, at most; as many more before each further one. */
const pauseMs = 50;

/**
 * Commits, once: where an answer is lost, what is stored tells whether the commit was carried out. Answers with the versions that
 * were written. Rejects with the CloudError that says why nothing was written, or with `unreachable` where that stays unknown.
 */
export async function commitOnce(
  datastore: Datastore,
  request: CommitRequest,
  witness: Witness,
): Promise<readonly string[]> {
  let unknown = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return await datastore.commit(request);
    } catch (error) {
      if (!(error instanceof CloudError)) throw error;
      unknown ||= error.unknownEffect;
      // An attempt before this one may be what this one met.
      const version = unknown ? await versionOf(datastore, witness) : undefined;
      if (version !== undefined) return request.mutations.map(() => version);
      const isLast = attempt === commitAttempts || datastore.lifetime?.isOver === true;
      if (!isPassing(error, request) || isLast) throw error.unknownEffect ? platformError(error) : error;
    }
    await datastore.clock.sleep(pauseMs * attempt * Math.random(), undefined, { contention: true });
  }
}

/** Writes a document of the framework's own over just what was seen of it; false where another wrote it first. */
export async function writeOver(
  datastore: Datastore,
  key: Key,
  stored: EntityResult | undefined,
  properties: Properties,
): Promise<boolean> {
  const write = randomUUID();
  const entity = { key: datastore.keyOf(key), properties: { ...properties, ...writeMark(write) } };
  const mutation = stored ? { update: entity, ...onlyOver(stored.version) } : { insert: entity };
  try {
    await commitOnce(datastore, { mutations: [mutation] }, { key, write });
    return true;
  } catch (error) {
    if (error instanceof CloudError && passed.includes(error.code)) return false;
    throw platformError(error);
  }
}

/** What a commit is refused with when something is not as it was, or when its transaction has ended. */
export const passed: readonly string[] = ["ABORTED", "FAILED_PRECONDITION", "ALREADY_EXISTS", "NOT_FOUND"];

/** The version that the commit has made; undefined where it has made none. A document that was deleted has none either: "". */
async function versionOf(datastore: Datastore, { key, write }: Witness): Promise<string | undefined> {
  const [found] = (await datastore.lookup([key])).found;
  if (write === undefined) return found === undefined ? "" : undefined;
  return writeOf(found) === write ? found?.version : undefined;
}

/** A transaction that others were in the way of has ended; one write has not. */
function isPassing({ code, unknownEffect, status }: CloudError, { transaction }: CommitRequest): boolean {
  return unknownEffect || status === 0 || (code === "ABORTED" && transaction === undefined);
}
