import type { IncomingMessage } from "node:http";
import { HTML } from "../../declare/html.ts";
import { Redirect, RedirectPermanent } from "../../declare/redirect.ts";
import { parseJSON } from "../body/json.ts";
import type { BundledRemote } from "../bundle.ts";
import type { ResultKind } from "../response/service-answer.ts";
import { answeredBlob } from "./blob.ts";
import type { CallBounds } from "./bounds.ts";
import { failureOf } from "./failure.ts";
import { nameOf } from "./name.ts";
import { readText } from "./text.ts";

/** What the endpoint returned, from the answer of its service. Throws what it threw. */
export async function resultOf(remote: BundledRemote, res: IncomingMessage, bounds: CallBounds): Promise<unknown> {
  const kind = res.headers["x-fw-result"] as ResultKind | undefined;
  if (kind === "blob") return answeredBlob(res, bounds);
  bounds.onEnd((error) => res.destroy(error));
  const bytes = await readText(res);
  switch (kind) {
    case "nothing":
      return undefined;
    case "json":
      return decoded(remote, bytes);
    case "document":
    case "fragment":
      return new HTML(bytes.toString(), kind === "document");
    case "redirect":
      return redirectionOf(res);
    default:
      throw failureOf(remote, res, bytes);
  }
}

function decoded(remote: BundledRemote, bytes: Buffer): unknown {
  try {
    return remote.decode(parseJSON(bytes, remote.exactIntegers));
  } catch (error) {
    // The service's mistake, or its version: not the visitor's, whatever status the error has.
    throw new Error(`${nameOf(remote)} answered something else than it declares`, { cause: error });
  }
}

function redirectionOf({ statusCode, headers }: IncomingMessage): unknown {
  const { location = "" } = headers;
  return statusCode === 301 ? RedirectPermanent(location) : Redirect(location);
}
