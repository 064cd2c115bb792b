import { isToken } from "../../lib/http-token.ts";
import { Fault } from "../../declare/errors.ts";
import { isHTML } from "../../declare/html.ts";
import { isRedirection } from "../../declare/redirect.ts";
import { isReply, type CookieSetting, type Reply } from "../../declare/reply.ts";
import { parseDuration } from "../../lib/duration.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { headerURL } from "../page/redirect.ts";

/** Limit: bytes of a cookie's encoded name and value, as in browsers. */
const cookieBytes = 4096;

type ReplyMetadata = Pick<Reply, "headers" | "cookies">;

/** Headers that belong to the transport or that fw controls, each with an explanation or an alternative. */
const ownHeaders: Readonly<Record<string, string>> = {
  "accept-ranges": "fw handles range requests",
  "alt-svc": "the server sets it",
  "cache-control": "set the route's maxAge instead",
  connection: "the server sets it",
  "content-disposition": "use blob(…, { name, download })",
  "content-encoding": "the server sets it",
  "content-length": "the server sets it",
  "content-range": "fw handles range requests",
  "content-security-policy-report-only": "fw sends its own; set Content-Security-Policy instead",
  date: "the server sets it",
  "keep-alive": "the server sets it",
  "proxy-connection": "the server sets it",
  "set-cookie": "use reply(body, { cookies })",
  "set-cookie2": "use reply(body, { cookies })",
  te: "the server sets it",
  trailer: "the server sets it",
  "transfer-encoding": "the server sets it",
  upgrade: "the server sets it",
  vary: "it follows from the headers and cookies that the request binds",
  "x-content-type-options": "fw always sends nosniff",
  "x-request-id": "fw always sends ctx.requestId",
};

/** Headers whose value is a URL. */
const urls = /^(?:location|content-location|hx-(?:redirect|push-url|replace-url))$/;

/** The headers of a reply, with its content type separate. */
interface ReplyHeaders {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly type: string | undefined;
}

/**
 * Returns a reply's headers and, separately, its Content-Type. Throws a Fault for headers that fw controls or that are
 * invalid.
 */
export function replyHeaders({ headers }: ReplyMetadata): ReplyHeaders {
  const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    return [[name, headerValue(name, typeof value === "object" ? value.join(", ") : String(value))]];
  });
  return { headers: sent.filter((each) => !isType(each)), type: sent.find(isType)?.[1] };
}

function isType([name]: readonly [string, string]): boolean {
  return name.toLowerCase() === "content-type";
}

/** Throws a Fault for a reply with an invalid status, or one that conflicts with its body or route. */
export function requireReply({ kind, route, maxAge }: Replied, { body, status, cookies }: Reply): void {
  const fault = (why: string): Fault => new Fault(`the reply of ${route} ${why}`);
  if (isReply(body)) throw fault("has another reply as its body");
  if (kind === "api" && (isHTML(body) || isRedirection(body))) throw fault("has a body that only a Page can return");
  if (status !== undefined && isRedirection(body)) throw fault("has a status, but its redirect has its own");
  if (status !== undefined && !isStatus(status)) throw fault(`has the invalid status ${String(status)}`);
  if (body !== undefined && bodiless.has(status))
    throw fault(`has a body, but a response with status ${status} has none`);
  if (maxAge > 0 && Object.keys(cookies).length > 0)
    throw fault("sets cookies, but the route has maxAge: its responses are shared by all clients");
}

type Replied = Pick<BundledEndpoint, "kind" | "route" | "maxAge">;

const bodiless: ReadonlySet<unknown> = new Set([204, 205, 304]);

function isStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 200 && status <= 599;
}

function headerValue(name: string, text: string): string {
  const key = name.toLowerCase();
  if (!isToken(name)) throw new Fault(`${JSON.stringify(name)} is not a valid header name`);
  const why = ownReason(key, text);
  if (why !== undefined) throw new Fault(`a reply cannot set ${name}: ${why}`);
  if (urls.test(key)) return headerURL(text);
  const value = key.startsWith("hx-trigger") ? asciiJSON(text) : text;
  if (/^[\t\x20-\x7e]*$/.test(value)) return value.trim();
  throw new Fault(`the header ${name} has characters that headers cannot contain: ${JSON.stringify(text)}; encode it`);
}

function ownReason(key: string, text: string): string | undefined {
  if (Object.hasOwn(ownHeaders, key)) return ownHeaders[key];
  if (key.startsWith("x-fw-")) return "fw reserves such names";
  if (key.startsWith("access-control-")) return "set the origins of the Service instead";
  const isJSON = key === "content-type" && /^application\/(?:[\w.!#$&^-]+\+)?json$/.test(text);
  return key === "content-type" && !isJSON ? "it follows from the body; use blob(…, { type })" : undefined;
}

/** Escapes the non-ASCII characters of JSON. */
function asciiJSON(text: string): string {
  return text.replaceAll(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Returns the Set-Cookie headers of a reply. Throws a Fault for a cookie that is reserved for fw or invalid. */
export function replyCookies({ cookies }: ReplyMetadata, secure: boolean): string[] {
  return Object.entries(cookies).flatMap(([name, given]) => {
    if (given === undefined) return [];
    if (given === null) return cookieText(name, { value: "" }, secure, 0);
    const setting = typeof given === "string" ? { value: given } : given;
    return cookieText(name, setting, secure, seconds(name, setting.maxAge));
  });
}

function cookieText(name: string, setting: CookieSetting, secure: boolean, maxAge: number | undefined): string {
  if (!isToken(name)) throw new Fault(`${JSON.stringify(name)} is not a valid cookie name`);
  if (/^(?:__host-|__secure-)?fw_/i.test(name)) throw new Fault(`the cookie ${name} is reserved for fw`);
  const { value, httpOnly = true, sameSite = "lax", path = "/" } = setting;
  if (!/^\/[\x21-\x3a\x3c-\x7e]*$/.test(path))
    throw new Fault(`the path of the cookie ${name} is invalid: ${JSON.stringify(path)}`);
  if (/^__host-/i.test(name) && path !== "/")
    throw new Fault(`the cookie ${name} is for all paths because of its prefix: leave out path`);
  const isSecure = (setting.secure ?? secure) || sameSite === "none" || /^__(?:host|secure)-/i.test(name);
  const pair = `${name}=${encodeURIComponent(Buffer.from(value).toString())}`;
  if (pair.length > cookieBytes) throw new Fault(`the cookie ${name} has more than ${cookieBytes} bytes`);
  return [
    pair,
    `Path=${path}`,
    ...(httpOnly ? ["HttpOnly"] : []),
    `SameSite=${sameSites[sameSite]}`,
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
}

const sameSites = { lax: "Lax", strict: "Strict", none: "None" } as const;

function seconds(name: string, maxAge: string | undefined): number | undefined {
  if (maxAge === undefined) return undefined;
  const ms = parseDuration(maxAge);
  if (ms === undefined)
    throw new Fault(`the maxAge of the cookie ${name} is not a duration: ${JSON.stringify(maxAge)}`);
  return Math.floor(ms / 1_000);
}
