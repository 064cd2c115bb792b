import { StatusError } from "../declare/errors.ts";
import { messages } from "./messages.ts";
import { watchPace } from "./pace.ts";
import type { Request } from "./request.ts";

/** Thrown where the client went away before its body had come: there is nobody to answer. */
export class Disconnected extends Error {}

/** Bytes that the request announces; 0 when it has no body, undefined when the body comes in chunks. */
export function announcedBytes({ req }: Request): number | undefined {
  if (req.headers["transfer-encoding"] !== undefined) return undefined;
  const length = req.headers["content-length"];
  return length === undefined ? 0 : Number(length);
}

/** Tells a client that waits for it to send the body. */
export function askForBody(request: Request): void {
  if (!request.expectsContinue || request.asked) return;
  request.asked = true;
  request.res.writeContinue();
}

/** The whole body. Rejects with a StatusError 413 beyond `limit` bytes, the rest being unread then. */
export function readBody(request: Request, limit: number): Promise<Buffer> {
  const announced = announcedBytes(request);
  if (announced !== undefined && announced > limit) return Promise.reject(tooLarge(limit));
  if (announced === 0) return Promise.resolve(Buffer.alloc(0));
  askForBody(request);
  return collect(request, limit);
}

function collect(request: Request, limit: number): Promise<Buffer> {
  const { req } = request;
  const unwatch = watchPace(req, request.app.bodyMs);
  return new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    req.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes <= limit) return void chunks.push(chunk);
      unwatch();
      req.removeAllListeners("data").pause();
      reject(tooLarge(limit));
    });
    req.on("end", () => {
      unwatch();
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, bytes));
    });
    req.on("error", () => {
      unwatch();
      reject(new Disconnected("the client went away before its body had come"));
    });
  });
}

function tooLarge(limit: number): StatusError {
  return new StatusError(413, messages.tooLarge(limit));
}

/** The media type of the body in lower case, without parameters; "" when there is none. */
export function mediaType(contentType: string | undefined): string {
  if (contentType === undefined) return "";
  const semicolon = contentType.indexOf(";");
  return (semicolon === -1 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

/** True where the type names no charset besides UTF-8. */
export function isUTF8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
  return charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset);
}
