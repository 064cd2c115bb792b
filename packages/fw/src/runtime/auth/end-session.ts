import type { Request } from "../request.ts";
import { sendEmpty } from "../response/reply.ts";
import { leadOn } from "./begin-session.ts";
import { clearSessionCookie } from "./cookie.ts";
import { readFields } from "./fields.ts";
import { sessionIdOf, targetOf } from "./sign-in.ts";

/** Ends the browser's session; where there is none, there is nothing to do. */
export async function endSession(request: Request): Promise<void> {
  await end(request);
  sendEmpty(request, 204, ["Cache-Control", "no-store"]);
}

/** The same for a form, which is led on. */
export async function signOut(request: Request): Promise<void> {
  const fields = await readFields(request);
  await end(request);
  leadOn(request, fields);
}

async function end(request: Request): Promise<void> {
  const id = sessionIdOf(request);
  if (id !== undefined) await targetOf(request).sessions.end(id);
  (request.cookies ??= []).push(clearSessionCookie(request.secure));
}
