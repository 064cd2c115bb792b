import { percentDecoded } from "../../lib/percent.ts";
import type { Exchange } from "./exchange.ts";

type Head = Pick<Exchange, "method" | "target" | "version" | "header">;

/** The target of a request: the raw path, and the query without its question mark. */
export interface Target {
  path: string;
  query: string;
}

const regName = /^(?:[a-z0-9._~!$&'()*+;=-]|%[0-9a-f]{2}){1,255}(?::\d{1,5})?$/i;
const ipLiteral = /^\[[0-9a-f:.]{2,45}\](?::\d{1,5})?$/i;
const absolute = /^https?:\/\/([^/?#]*)/i;
const legalTarget = /^[\x21\x22\x24-\x7e]+$/;

/** The last valid Host. Cached because nearly all requests to a server have the same one. */
let knownHost: string | undefined;

/**
 * Reads a request's target into `target`. Returns false for a request that other HTTP implementations could interpret
 * differently from Node's parser, such as one with an unknown version, a malformed Host, an unusual Transfer-Encoding,
 * or another host in the target. Repeated headers must arrive joined (`joinDuplicateHeaders`).
 */
export function acceptable(head: Head, target: Target): boolean {
  const { version } = head;
  if (version !== "1.1" && version !== "1.0") return false;
  const host = head.header("host");
  if (host === undefined ? version === "1.1" : host !== knownHost && !learnHost(host)) return false;
  const coding = head.header("transfer-encoding");
  if (coding !== undefined && !isChunked(coding, head)) return false;
  return readTarget(head, target);
}

function learnHost(host: string): boolean {
  if (!regName.test(host) && !ipLiteral.test(host)) return false;
  knownHost = host;
  return true;
}

function isChunked(coding: string, head: Head): boolean {
  return head.version === "1.1" && coding.toLowerCase() === "chunked" && head.header("content-length") === undefined;
}

function readTarget(head: Head, target: Target): boolean {
  const url = head.target;
  if (url.charCodeAt(0) === 47) return split(url, target);
  if (url === "*") return head.method === "OPTIONS" && split(url, target);
  const authority = absolute.exec(url)?.[1];
  if (authority === undefined || authority.toLowerCase() !== head.header("host")?.toLowerCase()) return false;
  const rest = url.slice(url.indexOf("//") + 2 + authority.length);
  return split(rest.startsWith("/") ? rest : `/${rest}`, target);
}

function split(url: string, target: Target): boolean {
  if (!legalTarget.test(url)) return false;
  const mark = url.indexOf("?");
  target.path = mark === -1 ? url : url.slice(0, mark);
  target.query = mark === -1 ? "" : url.slice(mark + 1);
  return true;
}

/**
 * Returns the part of a path below `/_fw/`, or undefined. `/_fw` and its escaped spellings also belong to the
 * framework.
 */
export function injectedPath(path: string): string | undefined {
  const second = path.charCodeAt(1);
  if (second !== 95 && second !== 37) return undefined;
  const end = path.indexOf("/", 1);
  const first = percentDecoded(end === -1 ? path : path.slice(0, end));
  if (first !== "/_fw") return undefined;
  return end === -1 ? "" : path.slice(end + 1);
}
