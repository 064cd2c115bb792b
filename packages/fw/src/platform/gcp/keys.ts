import { hkdfSync, randomBytes } from "node:crypto";
import { writeOver } from "./entities/write-over.ts";
import type { Datastore } from "./entities/datastore.ts";
import { unindexed } from "./entities/stored-document.ts";

/** Returns a 32-byte key for a purpose, the same in every instance of every service of the application. */
export type CloudSecrets = (purpose: string) => Promise<Uint8Array>;

const key = { kind: "_fw_keys", id: "application" };

/**
 * Opens the keys for cursors and forms. They are derived from a root key that the first caller creates and stores with
 * the documents. Anyone who can read the root key can already read everything that the keys protect.
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
  const [rootKey] = (await datastore.lookup([key])).results;
  const value = rootKey?.entity?.properties?.["key"]?.blobValue;
  if (value !== undefined) return Buffer.from(value, "base64");
  const root = randomBytes(32);
  const properties = { key: unindexed({ blobValue: root.toString("base64") }) };
  return (await writeOver(datastore, key, undefined, properties)) ? root : readRoot(datastore);
}
