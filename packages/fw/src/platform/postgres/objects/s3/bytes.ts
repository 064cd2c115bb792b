import { pulled } from "../../../../lib/pulled.ts";
import type { ObjectBytes } from "../bytes.ts";
import { readS3Address, type S3Environment } from "./address.ts";
import { S3Client, type S3ClientOptions } from "./client.ts";
import { download } from "./download.ts";
import { S3Error } from "./error.ts";
import { removeFile } from "./remove.ts";
import { loadSigner } from "./signer.ts";
import { upload } from "./upload.ts";

/** A file that every start writes and reads, to notice a wrong key or bucket before a request does. */
const markName = "fw-objects";
const mark = "The bytes of objects of an fw application. The database says what they are.\n";

/**
 * Opens a bucket as the store for the bytes of objects. Throws a PlatformError `data` if the address is wrong or the
 * store refuses it, and `unreachable` if the store does not respond.
 */
export async function bytesInS3(address: string, env: S3Environment, options?: S3ClientOptions): Promise<ObjectBytes> {
  const client = new S3Client(readS3Address(address, env), await loadSigner(), options);
  await check(client);
  return {
    async write(file, body, maxSize, signal) {
      try {
        return await upload(client, { file, body, maxSize, signal });
      } catch (error) {
        body.cancel(error).catch(() => {});
        // Does not wait for a store that may not respond: the file's row makes sure that it is deleted later.
        removeFile(client, file).catch(() => {});
        throw error;
      }
    },
    read: (stored, start, end) => {
      const ending = new AbortController();
      return pulled(download(client, stored, { start, end }, ending.signal), { cancel: () => ending.abort() });
    },
    remove: (file) => removeFile(client, file),
  };
}

/** Writes, reads and deletes a file in the bucket, as a test. */
async function check(client: S3Client): Promise<void> {
  try {
    await client.call({ method: "PUT", file: markName, body: Buffer.from(mark) });
    await client.call({ method: "GET", file: markName }, ({ text }) => (text === mark ? undefined : "other bytes"));
    await removeFile(client, `${markName}-check`);
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    throw new S3Error(`${error.request} for ${client.displayName}`, error.status, error.reason, error.details);
  }
}
