import { isStatusError } from "../../declare/errors.ts";
import { event, events, type ServerEvent } from "../../declare/events.ts";
import { isHTML } from "../../declare/html.ts";
import { platformOf } from "../application.ts";
import { findSession } from "../auth/identify.ts";
import { keyOf, type Session } from "../auth/sessions.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { call, checkAdmission } from "../call.ts";
import { CallContext } from "../calls/call-context.ts";
import { originOf } from "../calls/origin.ts";
import { usesIdentity } from "../capabilities.ts";
import type { Request } from "../request.ts";
import { sendText } from "../response/send.ts";
import { Reads, recordReads } from "./reads.ts";
import { hashOf, scriptQuery } from "./document.ts";
import { beginRender, setShownFlash } from "./shown.ts";
import { liveScript } from "./script.ts";

/**
 * The header of a request that follows a live page. It contains the hash of the page in the browser, and its flash
 * message.
 */
const liveHeader = "fw-live";

/** Limit: bytes of a flash message that a live page shows again. */
const shownFlashBytes = 4096;

/** Serves the script of a live page; returns true if the request was for it. */
export function answerScript(request: Request): boolean {
  if (request.query !== scriptQuery) return false;
  const headers = ["Cache-Control", "private, max-age=300", "X-Content-Type-Options", "nosniff"];
  sendText(request, 200, "text/javascript; charset=utf-8", headers, liveScript);
  return true;
}

/** Returns the update stream of a live page; undefined for a request that does not follow the page. */
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

interface LivePage {
  readonly request: Request;
  readonly endpoint: BundledEndpoint;
  readonly input: unknown;
}

/**
 * Renders the page, and again after each change of a document that it has read. Yields versions that differ from the
 * one in the browser, at the client's pace.
 */
async function* renders(page: LivePage, startHash: string): AsyncGenerator<ServerEvent<string>> {
  const { request } = page;
  let hash = startHash;
  let reads: Reads | undefined;
  try {
    while (!request.signal.aborted) {
      const before = reads;
      reads = new Reads(platformOf(request.app, "follow pages on"));
      // A subscription may begin with a notification, so a new one for each render would cause endless renders.
      const html = await render(page, reads).finally(() => before?.end());
      if (request.signal.aborted) return;
      if (html === undefined) {
        yield event("", { name: "reload" });
        return;
      }
      const next = hashOf(request, html);
      if (next !== hash) {
        hash = next;
        yield event(html, { id: next });
      }
      await reads.changed(request.signal);
    }
  } finally {
    reads?.end();
  }
}

/** Renders the page for the current user; undefined if it is no longer a document that this user may see. */
async function render({ request, endpoint, input }: LivePage, reads: Reads): Promise<string | undefined> {
  const { app, ctx: outer } = request;
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
