import { randomUUID } from "node:crypto";
import type { Key } from "../../contract.ts";
import { CloudError } from "../rest/cloud-error.ts";
import type { EntityResult } from "../rest/generated/datastore.ts";
import { changedCodes, isLastAttempt, isTransient, pauseAfter } from "./commit-retry.ts";
import type { Properties } from "./datastore-values.ts";
import { onlyOver, platformError, type Datastore, type Mutation } from "./datastore.ts";
import { writeMark, writeOf } from "./stored-document.ts";

/**
 * Replaces exactly the version of a framework document that was read, or inserts it if there was none
 * (compare-and-set). Returns false if another write came first or has replaced this one. The caller then rereads and
 * decides from the new state, so no proof of the commit is needed.
 */
export async function writeOver(
  datastore: Datastore,
  key: Key,
  current: EntityResult | undefined,
  properties: Properties,
): Promise<boolean> {
  const write = randomUUID();
  const entity = { key: datastore.keyOf(key), properties: { ...properties, ...writeMark(write) } };
  const mutation: Mutation = current ? { update: entity, ...onlyOver(current.version) } : { insert: entity };
  const request = { mutations: [mutation] };
  let isOutcomeUnknown = false;
  for (let attempt = 1; ; attempt++) {
    try {
      await datastore.commit(request);
      return true;
    } catch (error) {
      if (!(error instanceof CloudError)) throw error;
      isOutcomeUnknown ||= error.unknownEffect;
      if (isOutcomeUnknown && (await hasWritten(datastore, key, write))) return true;
      if (!isTransient(error, request) || isLastAttempt(datastore, attempt)) {
        if (changedCodes.includes(error.code)) return false;
        throw platformError(error);
      }
    }
    await pauseAfter(datastore, attempt);
  }
}

async function hasWritten(datastore: Datastore, key: Key, write: string): Promise<boolean> {
  return writeOf((await datastore.lookup([key])).results[0]) === write;
}
