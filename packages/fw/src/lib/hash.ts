import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";

export async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<Hash> {
  const hash = createHash("sha256");
  for await (const chunk of bytes) hash.update(chunk);
  return hash;
}

export function hashOfFile(path: string): Promise<Hash> {
  return hashOf(createReadStream(path) as AsyncIterable<Buffer>);
}
