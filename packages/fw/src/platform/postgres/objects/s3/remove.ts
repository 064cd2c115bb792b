import type { S3Client } from "./client.ts";
import { strangeAnswer } from "./error.ts";
import { elements, elementText, hasRoot } from "./xml.ts";

/** The maximum number of lists of unfinished uploads for one file; each list has up to a thousand. */
const maxLists = 20;

/**
 * Deletes a file and the parts of its unfinished uploads, which take space although no list of objects shows them.
 */
export async function removeFile(client: S3Client, file: string): Promise<void> {
  await client.call({ method: "DELETE", file });
  for (let lists = 0; lists < maxLists; lists++) {
    const uploads = await unfinishedUploads(client, file);
    if (uploads.length === 0) return;
    for (const uploadId of uploads) await abort(client, file, uploadId);
  }
  throw strangeAnswer("GET uploads", "uploads that were aborted");
}

async function unfinishedUploads(client: S3Client, file: string): Promise<readonly string[]> {
  const key = client.keyOf(file);
  const { text } = await client.call({ method: "GET", query: { uploads: "", prefix: key } }, (answer) =>
    hasRoot(answer.text, "ListMultipartUploadsResult") ? undefined : "no list of uploads",
  );
  return elements(text, "Upload").flatMap((upload) => {
    const uploadId = elementText(upload, "UploadId");
    return elementText(upload, "Key") === key && uploadId !== undefined ? [uploadId] : [];
  });
}

async function abort(client: S3Client, file: string, uploadId: string): Promise<void> {
  try {
    await client.call({ method: "DELETE", file, query: { uploadId } });
  } catch (error) {
    if ((error as { readonly reason?: string }).reason !== "NoSuchUpload") throw error;
  }
}
