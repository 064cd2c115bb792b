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
import { answeredBlob } from "./blob.ts";
import type { CallBounds } from "./bounds.ts";
import { nameOf } from "./name.ts";

/** What the endpoint returned, from the answer of its service. Throws what it threw. */
export async function resultOf(remote: BundledRemote, res: IncomingMessage, bounds: CallBounds): Promise<unknown> {
  const header = res.headers[replyHeader];
  if (typeof header !== "string") return bodyOf(remote, res, bounds, remote.decode);
  const said = JSON.parse(decodeURIComponent(header)) as SaidByReply;
  return reply(await bodyOf(remote, res, bounds, (value) => remote.decodeReply?.(value, said.status)), said);
}

/** What it returned as a body, `decode` reading that of JSON. */
async function bodyOf(
  remote: BundledRemote,
  res: IncomingMessage,
  bounds: CallBounds,
  decode: CallCodec["decode"],
): Promise<unknown> {
  const kind = res.headers["x-fw-result"] as ResultKind | undefined;
  if (kind === "blob") return answeredBlob(res, bounds);
  bounds.onEnd((error) => res.destroy(error));
  const bytes = await readText(res);
  switch (kind) {
    case "nothing":
      return undefined;
    case "json":
      return decoded(remote, bytes, decode);
    case "document":
    case "fragment":
      return new HTML(bytes.toString(), kind === "document");
    case "redirect":
      return redirectionOf(res);
    default:
      throw failureOf(remote, res, bytes);
  }
}

function decoded(remote: BundledRemote, bytes: Buffer, decode: CallCodec["decode"]): unknown {
  try {
    return decode(parseJSON(bytes, remote.exactIntegers));
  } catch (error) {
    // The service's mistake, or its version: not the visitor's, whatever status the error has.
    throw new Error(`${nameOf(remote)} answered something else than it declares`, { cause: error });
  }
}

function redirectionOf({ statusCode, headers }: IncomingMessage): unknown {
  const { location = "" } = headers;
  return statusCode === 301 ? RedirectPermanent(location) : Redirect(location);
}

/** The whole body of an answer. Rejects where it is cut off or larger than `remoteBytes`. */
function readText(res: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    res.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > remoteBytes) res.destroy(new Error(`an answer of another service is at most ${remoteBytes} bytes`));
      else chunks.push(chunk);
    });
    res.once("end", () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
    res.once("error", reject);
  });
}

/**
 * The error that an answer without a result stands for: a refusal with its status, sentence and kind. Anything else is nothing that
 * a visitor may read: the service failed, or somebody before it answered.
 */
function failureOf(remote: BundledRemote, res: IncomingMessage, bytes: Buffer): Error {
  const kind = res.headers["x-fw-error"] as ErrorKind | undefined;
  const { statusCode = 0 } = res;
  if (kind === undefined || kind === "internal") return new Error(opaque(remote, res));
  const { error, policy = "", details } = JSON.parse(bytes.toString()) as ServiceRefusal;
  return errorOf({ kind, status: statusCode, message: error, policy }, details);
}

function opaque(remote: BundledRemote, { statusCode = 0, headers }: IncomingMessage): string {
  const id = headers["x-request-id"];
  const where = typeof id === "string" ? `; its log has the cause, req=${id}` : "";
  const failed = headers["x-fw-error"] === "internal";
  return `${nameOf(remote)} ${failed ? "failed" : `was answered with ${statusCode}, which it did not say itself`}${where}`;
}
