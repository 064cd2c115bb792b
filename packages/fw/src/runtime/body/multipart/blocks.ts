const firstBytes = 1024;
const largestBytes = 256 * 1024;

/** Collects bytes in blocks, so memory use does not depend on the size of the chunks. */
export class Blocks {
  #full: Buffer[] = [];
  #current: Buffer = Buffer.alloc(0);
  #used = 0;
  #size = 0;
  #reserved = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of allocated bytes, including unused ones. */
  get reserved(): number {
    return this.#reserved;
  }

  append(bytes: Uint8Array): void {
    let from = 0;
    while (from < bytes.byteLength) {
      if (this.#used === this.#current.byteLength) this.#grow();
      const copied = Math.min(bytes.byteLength - from, this.#current.byteLength - this.#used);
      this.#current.set(bytes.subarray(from, from + copied), this.#used);
      this.#used += copied;
      from += copied;
    }
    this.#size += bytes.byteLength;
  }

  /** Returns the bytes in order. */
  all(): readonly Buffer[] {
    return [...this.#full, this.#current.subarray(0, this.#used)];
  }

  clear(): void {
    this.#full = [];
    this.#current = Buffer.alloc(0);
    this.#used = this.#size = this.#reserved = 0;
  }

  #grow(): void {
    if (this.#used > 0) this.#full.push(this.#current);
    this.#current = Buffer.allocUnsafeSlow(Math.min(largestBytes, Math.max(firstBytes, this.#current.byteLength * 2)));
    this.#reserved += this.#current.byteLength;
    this.#used = 0;
  }
}
