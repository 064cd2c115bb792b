/** Limit: bytes of static files that a built service holds in memory, per site. */
export const cachedAssetBytes: number = 16 * 1024 * 1024;

/** An LRU cache of small immutable files. */
export class ContentCache {
  readonly #contents = new Map<string, Buffer>();
  #bytes = 0;

  get(file: string): Buffer | undefined {
    const content = this.#contents.get(file);
    if (content === undefined) return undefined;
    this.#contents.delete(file);
    this.#contents.set(file, content);
    return content;
  }

  keep(file: string, content: Buffer): void {
    if (this.#contents.has(file)) return;
    this.#contents.set(file, content);
    this.#bytes += content.byteLength;
    for (const [oldest, { byteLength }] of this.#contents) {
      if (this.#bytes <= cachedAssetBytes) return;
      this.#contents.delete(oldest);
      this.#bytes -= byteLength;
    }
  }
}
