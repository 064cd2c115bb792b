import { NotFound, StatusError } from "../../declare/errors.ts";
import { bareType } from "../../lib/content-type.ts";
import type { Grant, Objects } from "../../platform/objects.ts";
import { sendBlob } from "../blob/send-blob.ts";
import { storedBlob } from "../bucket/stored-blob.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";

/** Types that a browser shows without running anything of theirs as part of this origin. None ends in `+xml`. */
const harmless =
  /^(?:image\/(?:apng|avif|bmp|gif|jpeg|png|webp|x-icon)|(?:audio|video)\/[a-z0-9.-]+|text\/plain|application\/pdf)$/;

/** What a browser runs whatever it was meant as, with the rights of the page that names it. */
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
 * Answers a download by signed URL as a blob response. The object comes from whoever was let upload it, and here its URL has
 * the origin of the application: what could run is downloaded instead of shown, and has no origin where a browser shows it all
 * the same.
 */
export async function sendDownload(request: Request, objects: Objects, { bucket, key }: Grant): Promise<void> {
  if (codeDestinations.has(String(request.exchange.header("sec-fetch-dest"))))
    throw new StatusError(403, messages.notAScript);
  const object = await objects.open(bucket, key);
  if (object === undefined) throw NotFound();
  const shown = harmless.test(bareType(object.contentType));
  request.addHeader("Content-Disposition", `${shown ? "inline" : "attachment"}${fileName(key)}`);
  if (!shown) request.addHeader("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  await sendBlob(request, storedBlob(object), { maxAge: 0 });
}

/** The last part of the key as the name to save it by: plain for all clients, exact for those that know RFC 8187. */
function fileName(key: string): string {
  const name = key.slice(key.lastIndexOf("/") + 1);
  if (name === "") return "";
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `; filename="${name.replaceAll(/[^\w. -]/g, "_")}"; filename*=UTF-8''${exact}`;
}
