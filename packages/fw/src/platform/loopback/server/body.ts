import type { IncomingMessage } from "node:http";
import { pulled } from "../../../lib/pulled.ts";
import { loopbackBytes, loopbackValues } from "../../../lib/limits.ts";
import { decodeUntrusted } from "../../../lib/tagged-json.ts";
import { listAt, Malformed } from "../../../lib/codec.ts";
import { PlatformError } from "../../errors.ts";
import { argumentsHeader } from "../protocol.ts";

/** The arguments of a request: its body, or a header where the body is an object's bytes. */
export async function argumentsOf(request: IncomingMessage): Promise<readonly unknown[]> {
  const header = request.headers[argumentsHeader];
  const text = typeof header === "string" ? Buffer.from(header, "base64url").toString() : await textOf(request);
  return listAt(unpacked(text), "what is given");
}

/** The body as it comes in. Whoever lets go of it leaves the connection to the answer. */
export function streamOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  if (request.headers[argumentsHeader] === undefined) throw new Malformed("the bytes of an object are missing");
  return pulled(request.iterator({ destroyOnReturn: false }));
}

function unpacked(text: string): unknown {
  try {
    return decodeUntrusted(text, loopbackValues);
  } catch {
    throw new Malformed("the arguments are not readable");
  }
}

function textOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > loopbackBytes) reject(tooLarge());
      else chunks.push(chunk);
    });
    request.on("end", () => resolve(Buffer.concat(chunks).toString()));
    request.on("error", reject);
  });
}

function tooLarge(): PlatformError {
  return new PlatformError("too-large", `one request to the platform has at most ${loopbackBytes} bytes`);
}
