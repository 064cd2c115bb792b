import { open, readFile } from "node:fs/promises";
import { contentETag } from "../../lib/asset-variants.ts";
import { type AssetVariant, variantSuffix } from "../../lib/asset.ts";
import { fingerprintedMaxAge } from "../../lib/limits.ts";
import type { Asking } from "../blob/blob.ts";
import { fileStream } from "../blob/file-stream.ts";
import { type Answer, answerFor } from "../blob/representation.ts";
import { sendStream } from "../blob/send-stream.ts";
import type { RawHeaders } from "../exchange/exchange.ts";
import { beginStream, type Replying, sendBytes, sendEmpty } from "../response/reply.ts";
import { chooseVariant } from "./encoding.ts";
import type { Asset, SiteRedirect } from "./files.ts";

/** Bytes up to which a file is read at once before its head is written. */
const smallBytes = 64 * 1024;

export interface SendAssetOptions {
  /** Changes an HTML document on its way out (the dev loop's script); its ETag is that of the result. */
  readonly document?: ((html: string) => string) | undefined;
}

/**
 * Sends a static file in answer to GET or HEAD: 200, 206, 304 or 416. Resolves to false, with nothing sent, when the
 * file has gone since it was looked up. Rejects when it cannot be read: where headers have been sent by then the
 * caller cuts the connection, otherwise the response is untouched.
 */
export async function sendAsset(request: Asking, asset: Asset, options: SendAssetOptions = {}): Promise<boolean> {
  try {
    if (options.document !== undefined && asset.type.startsWith("text/html")) {
      await sendDocument(request, asset, options.document);
    } else {
      await sendFile(request, asset);
    }
    return true;
  } catch (error) {
    if (isGone(error) && !request.exchange.hasBegun) return false;
    throw error;
  }
}

/** Answers 301 to where a redirect leads. */
export function sendRedirect(request: Replying, redirect: SiteRedirect): void {
  sendEmpty(request, 301, ["Location", redirect.location, "Cache-Control", "no-cache"]);
}

async function sendFile(request: Asking, asset: Asset): Promise<void> {
  const variants = await asset.variants();
  const variant = chooseVariant(variants, request.exchange.header("accept-encoding"));
  const answer = answerFor(request.exchange, {
    type: asset.type,
    size: variant.size,
    etag: variant.etag,
    cacheControl: cacheControl(asset),
    vary: variants.length > 1 ? "Accept-Encoding" : undefined,
  });
  const encoded = { ...answer, headers: [...answer.headers, ...encodingHeader(variant, answer)] };
  if (hasNoBody(request, answer)) sendBytes(request, encoded.status, encoded.headers, "");
  else await sendContents(request, asset, variant, encoded);
}

function encodingHeader({ encoding }: AssetVariant, { status }: Answer): RawHeaders {
  return encoding === "identity" || status >= 300 ? [] : ["Content-Encoding", encoding];
}

function cacheControl(asset: Asset): string {
  return asset.immutable ? `public, max-age=${fingerprintedMaxAge}, immutable` : "no-cache";
}

function hasNoBody({ exchange }: Asking, { status }: Answer): boolean {
  return exchange.method === "HEAD" || status === 304 || status === 416;
}

async function sendContents(
  request: Asking,
  asset: Asset,
  { encoding, size }: AssetVariant,
  { status, headers, range = { start: 0, end: size } }: Answer,
): Promise<void> {
  const path = asset.file + variantSuffix[encoding];
  if (size <= smallBytes) {
    const content = asset.contents?.get(path) ?? (await readWhole(path, size));
    asset.contents?.keep(path, content);
    return sendBytes(request, status, headers, content.subarray(range.start, range.end));
  }
  const handle = await open(path);
  const stream = fileStream(handle, range.start, range.end, () => handle.close());
  const part = { skip: 0, length: range.end - range.start, exact: true };
  await sendStream(request.exchange, stream, part, () => beginStream(request, status, headers));
}

async function readWhole(path: string, size: number): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(size), 0, size, 0);
    if (bytesRead < size) throw new Error("a file became shorter while it was being sent");
    return buffer;
  } finally {
    await handle.close();
  }
}

async function sendDocument(request: Asking, asset: Asset, document: (html: string) => string): Promise<void> {
  const html = await readFile(asset.file, "utf8");
  const content = Buffer.from(document(html));
  const answer = answerFor(request.exchange, {
    type: asset.type,
    size: content.byteLength,
    etag: contentETag(content),
    cacheControl: cacheControl(asset),
  });
  const { start, end } = answer.range ?? { start: 0, end: content.byteLength };
  sendBytes(request, answer.status, answer.headers, hasNoBody(request, answer) ? "" : content.subarray(start, end));
}

function isGone(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP";
}
