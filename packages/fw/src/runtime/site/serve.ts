import { open, readFile } from "node:fs/promises";
import { contentETag } from "../../lib/asset-variants.ts";
import { type AssetVariant, type AssetVariants, variantSuffix } from "../../lib/asset.ts";
import { fingerprintedMaxAge } from "../../lib/limits.ts";
import { fileStream } from "../blob/file-stream.ts";
import { type RepresentationRequest, type ByteRange, type Contents, sendRepresentation } from "../blob/response.ts";
import { type Replying, sendEmpty } from "../response/send.ts";
import type { Asset, SiteRedirect } from "./files.ts";

/** The maximum size of a file that is read completely before its head is sent. */
const smallBytes = 64 * 1024;

export interface SendAssetOptions {
  /** Transforms an HTML document before its ETag is computed, for example to add the dev loop's script. */
  readonly document?: ((html: string) => string) | undefined;
}

/**
 * Sends a static file for GET or HEAD: 200, 206, 304 or 416. Resolves to false, with nothing sent, if the file was
 * deleted after the lookup. Rejects if reading fails; the caller must cut the connection if the headers were already
 * sent.
 */
export async function sendAsset(
  request: RepresentationRequest,
  asset: Asset,
  options: SendAssetOptions = {},
): Promise<boolean> {
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

export function sendRedirect(request: Replying, redirect: SiteRedirect): void {
  sendEmpty(request, 301, ["Location", redirect.location, "Cache-Control", "no-cache"]);
}

async function sendFile(request: RepresentationRequest, asset: Asset): Promise<void> {
  const { type } = asset;
  const variants = await asset.variants();
  const variant = chooseVariant(variants, request.exchange.header("accept-encoding"));
  const { size, etag, encoding } = variant;
  const vary = variants.length > 1 ? "Accept-Encoding" : undefined;
  const of = { type, size, etag, encoding, vary, cacheControl: cacheControl(asset) };
  await sendRepresentation(request, of, (range = { start: 0, end: size }) => contentsOf(asset, variant, range));
}

function cacheControl(asset: Asset): string {
  return asset.immutable ? `public, max-age=${fingerprintedMaxAge}, immutable` : "no-cache";
}

async function contentsOf(
  asset: Asset,
  { encoding, size }: AssetVariant,
  { start, end }: ByteRange,
): Promise<Contents> {
  const path = asset.file + variantSuffix[encoding];
  if (size <= smallBytes) {
    const content = asset.contents?.get(path) ?? (await readWhole(path, size));
    asset.contents?.keep(path, content);
    return content.subarray(start, end);
  }
  const handle = await open(path);
  const stream = fileStream({ handle, start, end }, () => handle.close());
  return { stream, part: { skip: 0, length: end - start, exact: true } };
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

async function sendDocument(
  request: RepresentationRequest,
  asset: Asset,
  document: (html: string) => string,
): Promise<void> {
  const html = await readFile(asset.file, "utf8");
  const content = Buffer.from(document(html));
  const { type } = asset;
  const of = { type, size: content.byteLength, etag: contentETag(content), cacheControl: cacheControl(asset) };
  await sendRepresentation(request, of, ({ start, end } = { start: 0, end: of.size }) => content.subarray(start, end));
}

function isGone(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP";
}

type Encoding = AssetVariant["encoding"];

const preference: readonly Encoding[] = ["br", "gzip", "identity"];

/** Chooses the variant with the highest q value in Accept-Encoding. Among equals, the order is br, gzip, identity. */
function chooseVariant(variants: AssetVariants, acceptEncoding: string | undefined): AssetVariant {
  let best = variants[0];
  if (variants.length === 1 || acceptEncoding === undefined) return best;
  const weights = acceptedWeights(acceptEncoding);
  let bestWeight = 0;
  for (const encoding of preference) {
    const variant = variants.find((v) => v.encoding === encoding);
    const weight = weightOf(encoding, weights);
    if (variant !== undefined && weight > bestWeight) [best, bestWeight] = [variant, weight];
  }
  return best;
}

function weightOf(encoding: Encoding, weights: ReadonlyMap<string, number>): number {
  const stated = weights.get(encoding) ?? weights.get("*");
  // Encodings that the header does not name are not acceptable, except identity, which comes last.
  return stated ?? (encoding === "identity" ? 0.0001 : 0);
}

/** Parses the q values of an Accept-Encoding header by lower-case name. */
function acceptedWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    const weight = q === undefined ? 1 : Number(q);
    if (name !== "" && weight >= 0 && weight <= 1) weights.set(name === "x-gzip" ? "gzip" : name, weight);
  }
  return weights;
}
