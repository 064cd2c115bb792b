import type { Context } from "../../declare/context.ts";
import { isStatusError } from "../../declare/errors.ts";
import { event, events, type ServerEvent } from "../../declare/events.ts";
import { isHTML } from "../../declare/html.ts";
import { findSession } from "../auth/identify.ts";
import { keyOf, type Session } from "../auth/sessions.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { call, checkAdmission } from "../call.ts";
import { CallContext } from "../calls/call-context.ts";
import { originOf } from "../calls/origin.ts";
import { usesIdentity } from "../capabilities.ts";
import type { Request } from "../request.ts";
import { sendText } from "../response/send.ts";
import { scriptQuery } from "./document.ts";
import { recordReads, type Reads } from "./reads.ts";
import { liveScript } from "./script.ts";
import { follow, type LivePage } from "./shared-page.ts";
import { beginRender, setShownFlash } from "./shown.ts";

/**
 * The header of a request that follows a live page. It contains the hash of the page in the browser, and the flash
 * message on it.
 */
const liveHeader = "fw-live";

/** Limit: bytes of a flash message that a live page shows again. */
const shownFlashBytes = 4096;

/** Serves a live page's script. Returns true if that is what was requested. */
export function answerScript(request: Request): boolean {
  if (request.query !== scriptQuery) return false;
  const headers = ["Cache-Control", "private, max-age=300", "X-Content-Type-Options", "nosniff"];
  sendText(request, 200, "text/javascript; charset=utf-8", headers, liveScript);
  return true;
}

/** Returns the stream of updates to a live page; undefined for a request that does not follow the page. */
export function liveStream(
  request: Request,
  endpoint: BundledEndpoint,
  decode: () => unknown,
): Promise<unknown> | undefined {
  const header = request.exchange.header(liveHeader);
  return header === undefined ? undefined : openStream(request, endpoint, header, decode());
}

async function openStream(
  request: Request,
  endpoint: BundledEndpoint,
  header: string,
  input: unknown,
): Promise<unknown> {
  await checkAdmission(request.ctx, endpoint, input);
  const [hash = "", flash = ""] = header.slice(0, shownFlashBytes).split(".");
  setShownFlash(request, Buffer.from(flash, "base64url").toString());
  return events(renders({ request, endpoint, input }, hash));
}

/**
 * Yields versions of the page that differ from the one in the browser, as fast as the client reads them. Ends with a
 * reload event if this user may no longer see the page.
 */
async function* renders(page: LivePage, startHash: string): AsyncGenerator<ServerEvent<string>> {
  const follower = follow(page, render, startHash);
  let hash = startHash;
  try {
    for (let newest = await follower.next(); newest !== undefined; newest = await follower.next()) {
      if (newest.html === undefined) {
        yield event("", { name: "reload" });
        return;
      }
      if (newest.hash === hash) continue;
      hash = newest.hash;
      yield event(follower.documentOf(newest), { id: hash });
    }
  } finally {
    follower.end();
  }
}

/** Renders the page for the current user; undefined if it is no longer a document this user may see. */
async function render(
  { request, endpoint, input }: LivePage,
  outer: Context,
  reads: Reads,
): Promise<string | undefined> {
  const { app } = request;
  const origin = originOf(outer);
  const root = new CallContext({ app, endpoint, outer, origin, session: undefined });
  recordReads(root, reads);
  beginRender(request);
  const session = usesIdentity ? await currentSession(request, root, reads) : undefined;
  if ((session === undefined) !== (request.session === undefined)) return undefined;
  try {
    const result = await call(new CallContext({ app, endpoint, outer: root, origin, session }), endpoint, input);
    return isHTML(result) && result.document ? result.text : undefined;
  } catch (error) {
    if (isStatusError(error)) return undefined;
    throw error;
  }
}

async function currentSession(
  { app, claim, endpoint }: Request,
  root: CallContext,
  reads: Reads,
): Promise<Session | undefined> {
  if (claim === undefined) return undefined;
  if (claim.by !== "authenticator") reads.addKey(keyOf(claim.id));
  return findSession(app, claim, root, endpoint);
}
