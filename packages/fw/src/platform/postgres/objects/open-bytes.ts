import { bytesOnDisk, type ObjectBytes } from "./bytes.ts";
import type { S3Environment } from "./s3/address.ts";

/** Opens the store for objects' bytes: a bucket (`s3://…`, with keys in the environment) or a directory. */
export async function openBytes(place: string, env: S3Environment): Promise<ObjectBytes> {
  if (!place.startsWith("s3:")) return bytesOnDisk(place);
  const { bytesInS3 } = await import("./s3/bytes.ts");
  return bytesInS3(place, env);
}
