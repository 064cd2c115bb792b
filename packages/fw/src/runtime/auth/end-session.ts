import { isStatusError } from "../../declare/errors.ts";
import type { Request } from "../request.ts";
import { sendRefusal, wantsHTML } from "../response/refusal.ts";
import { sendEmpty } from "../response/reply.ts";
import { leadOn } from "./begin-session.ts";
import { clearSessionCookie } from "./cookie.ts";
import { bringsJSON, readFields } from "./fields.ts";
import { requireOwnPage } from "./own-page.ts";
import { sessionIdOf, targetOf } from "./target.ts";

/** Ends the browser's session; where there is none, there is nothing to do. */
export async function endSession(request: Request): Promise<void> {
  await refusing(request, async () => {
    requireOwnPage(request);
    await end(request);
    sendEmpty(request, 204, ["Cache-Control", "no-store"]);
  });
}

/** The same for a form, which is led on. */
export async function signOut(request: Request): Promise<void> {
  await refusing(request, async () => {
    requireOwnPage(request);
    const fields = await readFields(request);
    await end(request);
    leadOn(request, fields);
  });
}

async function end(request: Request): Promise<void> {
  const id = sessionIdOf(request);
  if (id !== undefined) await targetOf(request).sessions.end(id);
  (request.cookies ??= []).push(clearSessionCookie(request.secure));
}

/** Answers refusals as what no cache keeps. */
async function refusing(request: Request, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isStatusError(error)) throw error;
    sendRefusal(request, error, bringsJSON(request) || !wantsHTML(request), "no-store");
  }
}
