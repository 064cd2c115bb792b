import type { IncomingMessage } from "node:http";
import { HTML } from "../../declare/html.ts";
import { Redirect, RedirectPermanent } from "../../declare/redirect.ts";
import { reply } from "../../declare/reply.ts";
import { remoteBytes } from "../../lib/limits.ts";
import { parseJSON } from "../body/json.ts";
import type { BundledRemote, CallCodec } from "../bundle.ts";
import type { ErrorKind } from "../response/refusal.ts";
import {
  errorOf,
  replyHeader,
  type ResultKind,
  type SaidByReply,
  type ServiceRefusal,
} from "../response/service-answer.ts";
import type { CallBounds } from "./bounds.ts";
import { describeCall } from "./name.ts";
import type { Blob } from "../../declare/blob.ts";
import { pulled } from "../../lib/pulled.ts";
import { readDisposition } from "../blob/disposition.ts";

/** Returns the result of the endpoint from its service's response, or throws the error that the endpoint threw. */
export async function resultOf(remote: BundledRemote, res: IncomingMessage, bounds: CallBounds): Promise<unknown> {
  const header = res.headers[replyHeader];
  if (typeof header !== "string") return readResult(remote, res, bounds, remote.decode);
  const parts = JSON.parse(decodeURIComponent(header)) as SaidByReply;
  return reply(await readResult(remote, res, bounds, (value) => remote.decodeReply?.(value, parts.status)), parts);
}

/** Returns the result in the body; `decode` decodes JSON. */
async function readResult(
  remote: BundledRemote,
  res: IncomingMessage,
  bounds: CallBounds,
  decode: CallCodec["decode"],
): Promise<unknown> {
  const kind = res.headers["x-fw-result"] as ResultKind | undefined;
  if (kind === "blob") return blobOfAnswer(res, bounds);
  bounds.onEnd((error) => res.destroy(error));
  const bytes = await readText(res);
  switch (kind) {
    case "nothing":
      return undefined;
    case "json":
      return decodeJSON(remote, bytes, decode);
    case "document":
    case "fragment":
      return new HTML(bytes.toString(), kind === "document");
    case "redirect":
      return redirectionOf(res);
    default:
      throw failureOf(remote, res, bytes);
  }
}

function decodeJSON(remote: BundledRemote, bytes: Buffer, decode: CallCodec["decode"]): unknown {
  try {
    return decode(parseJSON(bytes, remote.exactIntegers));
  } catch (error) {
    // Either the service has a bug or runs another version. For the client it is an internal error, whatever status
    // this error has.
    throw new Error(`${describeCall(remote)} returned something other than it declares`, { cause: error });
  }
}

function redirectionOf({ statusCode, headers }: IncomingMessage): unknown {
  const { location = "" } = headers;
  return statusCode === 301 ? RedirectPermanent(location) : Redirect(location);
}

/** Reads the complete body of a response. Rejects if it is cut off or larger than `remoteBytes`. */
function readText(res: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    res.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > remoteBytes)
        res.destroy(new Error(`the response of another service is larger than ${remoteBytes} bytes`));
      else chunks.push(chunk);
    });
    res.once("end", () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
    res.once("error", reject);
  });
}

/**
 * Returns the error of a response without a result: a refusal with its status, message and kind. Any other response
 * becomes an error whose message clients never see: the service failed, or a proxy in front of it responded.
 */
function failureOf(remote: BundledRemote, res: IncomingMessage, bytes: Buffer): Error {
  const kind = res.headers["x-fw-error"] as ErrorKind | undefined;
  const { statusCode = 0 } = res;
  if (kind === undefined || kind === "internal") return new Error(describeFailure(remote, res));
  const { error, policy = "", details } = JSON.parse(bytes.toString()) as ServiceRefusal;
  return errorOf({ kind, status: statusCode, message: error, policy }, details);
}

function describeFailure(remote: BundledRemote, { statusCode = 0, headers }: IncomingMessage): string {
  const id = headers["x-request-id"];
  const where = typeof id === "string" ? `: its log has the cause, req=${id}` : "";
  const failed = headers["x-fw-error"] === "internal";
  return `${describeCall(remote)} ${failed ? "failed" : `got ${statusCode} from a proxy in front of it`}${where}`;
}

/** Returns the body of a response as a Blob that can be read once, at the reader's pace. */
function blobOfAnswer(res: IncomingMessage, bounds: CallBounds): Blob {
  const { "content-type": type = "", "content-length": length, etag } = res.headers;
  bounds.markAnswered();
  bounds.onEnd((error) => res.destroy(error));
  res.once("close", () => bounds.close());
  // The reader, if there is one, gets the error of a truncated response.
  res.on("error", () => {});
  let isRead = false;
  return {
    type,
    ...(length !== undefined && { size: Number(length) }),
    ...(etag !== undefined && { etag: etag.replace(/^"(.*)"$/, "$1") }),
    ...readDisposition(res.headers["content-disposition"]),
    stream() {
      if (isRead) throw new Error("a Blob of another service can be read only once: keep its bytes to read it again");
      isRead = true;
      return streamOf(res, bounds);
    },
  };
}

function streamOf(res: IncomingMessage, bounds: CallBounds): ReadableStream<Uint8Array> {
  const chunks = res.iterator() as AsyncIterator<Uint8Array>;
  const next = async (): Promise<IteratorResult<Uint8Array, unknown>> => {
    bounds.progress();
    const chunk = await chunks.next();
    bounds.progress();
    return chunk;
  };
  return pulled({ next }, { cancel: () => res.destroy() });
}
