import { NotFound, StatusError } from "../../declare/errors.ts";
import { bareType } from "../../lib/content-type.ts";
import type { Grant, Objects } from "../../platform/objects.ts";
import { sendBlob } from "../blob/send-blob.ts";
import { storedBlob } from "../bucket/stored-blob.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";

/** Types that browsers show without running code in this origin. None ends in `+xml`. */
const harmless =
  /^(?:image\/(?:apng|avif|bmp|gif|jpeg|png|webp|x-icon)|(?:audio|video)\/[a-z0-9.-]+|text\/plain|application\/pdf)$/;

/** Request destinations for which a browser runs any content as code, with the rights of the requesting page. */
const codeDestinations = new Set([
  "audioworklet",
  "paintworklet",
  "script",
  "serviceworker",
  "sharedworker",
  "worker",
  "xslt",
]);

/**
 * Responds to a download by signed URL with a blob. An uploader controls its content, but its URL has the origin of the
 * application: content that could run code is downloaded instead of shown, and gets an opaque origin if a browser shows
 * it anyway.
 */
export async function sendDownload(request: Request, objects: Objects, { bucket, key }: Grant): Promise<void> {
  if (codeDestinations.has(String(request.exchange.header("sec-fetch-dest"))))
    throw new StatusError(403, messages.notAScript);
  const object = await objects.open(bucket, key);
  if (object === undefined) throw NotFound();
  const isHarmless = harmless.test(bareType(object.contentType));
  request.draft.addHeader("Content-Disposition", `${isHarmless ? "inline" : "attachment"}${fileName(key)}`);
  if (!isHarmless)
    request.draft.addHeader("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  await sendBlob(request, storedBlob(object), { maxAge: 0 });
}

/**
 * Formats the last part of the key as a file name: in plain ASCII for all clients, and exactly for those that support
 * RFC 8187.
 */
function fileName(key: string): string {
  const name = key.slice(key.lastIndexOf("/") + 1);
  if (name === "") return "";
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `; filename="${name.replaceAll(/[^\w. -]/g, "_")}"; filename*=UTF-8''${exact}`;
}
