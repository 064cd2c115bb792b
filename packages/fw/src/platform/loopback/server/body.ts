import type { IncomingMessage } from "node:http";
import { pulled } from "../../../lib/pulled.ts";
import { decodeUntrusted } from "../../../lib/tagged-json.ts";
import { listAt, Malformed } from "../../../lib/codec.ts";
import { PlatformError } from "../../errors.ts";
import { argumentsHeader } from "../protocol.ts";

/** Limit: bytes of one call to a platform in another process, without objects. */
const loopbackBytes = 64 * 1024 * 1024;

/** Limit: values in one call to a platform in another process. */
const loopbackValues = 4_000_000;

/** Reads the arguments from the body, or from a header if the body is an object's bytes. */
export async function argumentsOf(request: IncomingMessage): Promise<readonly unknown[]> {
  const header = request.headers[argumentsHeader];
  const text = typeof header === "string" ? Buffer.from(header, "base64url").toString() : await textOf(request);
  return listAt(decodeArgs(text), "the arguments");
}

/** Streams the body. Cancelling it keeps the connection open for the response. */
export function streamOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  if (request.headers[argumentsHeader] === undefined) throw new Malformed("the bytes of an object are missing");
  return pulled(request.iterator({ destroyOnReturn: false }));
}

function decodeArgs(text: string): unknown {
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
  return new PlatformError("too-large", `a request to the platform is limited to ${loopbackBytes} bytes`);
}
