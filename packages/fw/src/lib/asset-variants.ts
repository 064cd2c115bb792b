import { createHash, type Hash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { hashOfFile } from "./hash.ts";
import { type AssetVariant, type AssetVariants, variantSuffix } from "./asset.ts";

/** The maximum size of a file with compressed siblings, because they are verified in memory. */
const compressibleBytes = 32 * 1024 * 1024;

const decompress = { br: promisify(brotliDecompress), gzip: promisify(gunzip) };

/**
 * Returns the variants of a file: the file itself, then compressed siblings with the same content if the file has at
 * most `compressibleBytes`. Rejects if the file cannot be read.
 */
export async function variantsOf(file: string): Promise<AssetVariants> {
  const { size } = await stat(file);
  const itself: AssetVariant = { encoding: "identity", size, etag: etagOf(await hashOfFile(file)) };
  if (size > compressibleBytes) return [itself];
  const siblings = await Promise.all([sibling(file, "br", size), sibling(file, "gzip", size)]);
  return [itself, ...siblings.filter((variant) => variant !== undefined)];
}

/** Returns a strong validator for this content. */
export function contentETag(content: Uint8Array | string): string {
  return etagOf(createHash("sha256").update(content));
}

function etagOf(hash: Hash): string {
  return hash.digest("base64url").slice(0, 27);
}

/** Returns the compressed sibling of a file; undefined if it is missing, damaged or has other content. */
async function sibling(file: string, encoding: "br" | "gzip", size: number): Promise<AssetVariant | undefined> {
  try {
    const compressed = await readFile(file + variantSuffix[encoding]);
    const content = await decompress[encoding](compressed, { maxOutputLength: size });
    if (!content.equals(await readFile(file))) return undefined;
    return { encoding, size: compressed.byteLength, etag: contentETag(compressed) };
  } catch {
    return undefined;
  }
}

/** Caches the variants of files that may change. Reads them again when the file or a sibling has been replaced. */
export class VariantCache {
  readonly #entries = new Map<string, { readonly state: string; readonly variants: Promise<AssetVariants> }>();

  async variants(file: string): Promise<AssetVariants> {
    const state = await stateOf(file);
    const entry = this.#entries.get(file);
    if (entry?.state === state) return entry.variants;
    const variants = variantsOf(file);
    this.#entries.set(file, { state, variants });
    variants.catch(() => this.#entries.delete(file));
    return variants;
  }
}

async function stateOf(file: string): Promise<string> {
  const states = await Promise.all(Object.values(variantSuffix).map((suffix) => stateOfOne(file + suffix)));
  return states.join(" ");
}

async function stateOfOne(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
  } catch {
    return "-";
  }
}
