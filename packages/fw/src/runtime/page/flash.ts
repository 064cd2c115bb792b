import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import { cookieName } from "../../lib/cookie-names.ts";
import { openText, sealText } from "../../lib/sealed-text.ts";
import { readCookie, setCookie } from "../access/cookies.ts";
import { outsideTransaction } from "../calls/origin.ts";
import type { Request } from "../request.ts";
import { RequestContext } from "../request-context.ts";

const cookie = "fw_flash";

/** Limit: bytes of a flash message. */
const flashBytes = 1024;

/** Seconds after which a message is dropped if no page has shown it. */
const lifetime = 60;

/** The message for a request's pages, once it has been set or read. */
const messages = new WeakMap<Request, string>();

/** Sets a message for the next page that shows messages. Stores it in a cookie signed for this browser's session. */
export function setFlash(ctx: Context, message: string): void {
  const request = RequestContext.requestOf(outsideTransaction(ctx));
  if (request === undefined || request.caller !== undefined)
    throw new Fault("flash needs the request of a browser: call it in the handler of a public route");
  if ((request.endpoint?.maxAge ?? 0) > 0) throw new Fault("a page with maxAge is shared, so it cannot set a message");
  if (Buffer.byteLength(message) > flashBytes) throw new Fault(`a flash message has at most ${flashBytes} bytes`);
  messages.set(request, message);
  writeCookie(request, sealText(request.app.csrf.key(request), message, purposeFor(request)), lifetime);
}

/** Returns the message for this page and removes it; "" if there is none, or if the page is shared. */
export function takeFlash(ctx: Context): string {
  const request = RequestContext.requestOf(outsideTransaction(ctx));
  if (request === undefined || (request.endpoint?.maxAge ?? 0) > 0) return "";
  const cookieText = readCookie(request.exchange.header("cookie"), cookieName(cookie, request.secure));
  const message = messages.get(request) ?? (cookieText === undefined ? "" : messageIn(request, cookieText));
  messages.set(request, message);
  if (cookieText !== undefined || message !== "") writeCookie(request, "", 0);
  return message;
}

/** Returns the message in a cookie; "" if the cookie was tampered with or belongs to another session. */
function messageIn(request: Request, value: string): string {
  return openText(request.app.csrf.key(request), value, purposeFor(request)) ?? "";
}

function purposeFor({ session }: Request): string {
  return `flash\0${session?.csrf ?? ""}\0`;
}

/** Sets the cookie, replacing one that this request already set. */
function writeCookie({ draft, secure }: Request, value: string, maxAge: number): void {
  const prefix = `${cookieName(cookie, secure)}=`;
  const index = draft.cookies.findIndex((each) => each.startsWith(prefix));
  draft.cookies.splice(index === -1 ? draft.cookies.length : index, index === -1 ? 0 : 1);
  draft.cookies.push(setCookie(cookie, value, secure, maxAge));
}
