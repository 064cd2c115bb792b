import type { IncomingMessage } from "node:http";
import { HTML } from "../../declare/html.ts";
import { Redirect, RedirectPermanent } from "../../declare/redirect.ts";
import { reply } from "../../declare/reply.ts";
import { parseJSON } from "../body/json.ts";
import type { BundledRemote, CallCodec } from "../bundle.ts";
import { replyHeader, type ResultKind, type SaidByReply } from "../response/service-answer.ts";
import { answeredBlob } from "./blob.ts";
import type { CallBounds } from "./bounds.ts";
import { failureOf } from "./failure.ts";
import { nameOf } from "./name.ts";
import { readText } from "./text.ts";

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
