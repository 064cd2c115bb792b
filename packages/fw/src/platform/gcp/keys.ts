import { hkdfSync, randomBytes } from "node:crypto";
import { writeOver } from "./entities/write-over.ts";
import type { Datastore } from "./entities/datastore.ts";
import { unindexed } from "./entities/stored-document.ts";

/** Gives a key of 32 bytes for a purpose, the same in every instance of every service of the application. */
export type CloudSecrets = (purpose: string) => Promise<Uint8Array>;

const key = { kind: "_fw_keys", id: "application" };

/**
 * The keys with which cursors and forms are sealed. They are derived from one that whoever needs one first makes and keeps beside
 * the documents: who may read it may read everything that it guards.
 */
export function openSecrets(datastore: Datastore): CloudSecrets {
  let root: Promise<Buffer> | undefined;
  return async (purpose) => {
    root ??= readRoot(datastore).catch((error: unknown) => {
      root = undefined;
      throw error;
    });
    return new Uint8Array(hkdfSync("sha256", await root, "", purpose, 32));
  };
}

async function readRoot(datastore: Datastore): Promise<Buffer> {
  const [kept] = (await datastore.lookup([key])).found;
  const value = kept?.entity?.properties?.["key"]?.blobValue;
  if (value !== undefined) return Buffer.from(value, "base64");
  const made = randomBytes(32);
  const properties = { key: unindexed({ blobValue: made.toString("base64") }) };
  return (await writeOver(datastore, key, undefined, properties)) ? made : readRoot(datastore);
}
