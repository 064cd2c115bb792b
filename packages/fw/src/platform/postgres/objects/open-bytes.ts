import { bytesOnDisk, type ObjectBytes } from "./bytes.ts";
import type { S3Environment } from "./s3/address.ts";

/** Opens the bytes of objects in a bucket (`s3://…`, with keys in the environment) or in a directory. */
export async function openBytes(place: string, env: S3Environment): Promise<ObjectBytes> {
  if (!place.startsWith("s3:")) return bytesOnDisk(place);
  const { bytesInS3 } = await import("./s3/bytes.ts");
  return bytesInS3(place, env);
}
