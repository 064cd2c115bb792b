import { preflightMaxAge } from "../../lib/limits.ts";
import { sizeHeader } from "../../platform/signed-headers.ts";
import type { RawHeaders } from "../exchange/exchange.ts";
import type { Request } from "../request.ts";

/** Lets scripts of every origin read the answer: the URL is the permission, and cookies play no part. */
export function allowOtherOrigins(request: Request): void {
  request.addHeader("Access-Control-Allow-Origin", "*");
  request.addHeader("Access-Control-Expose-Headers", "Accept-Ranges, Content-Length, Content-Range, ETag");
}

/** What a browser asks before it sends a signed request from another origin. */
export function preflightHeaders(): RawHeaders {
  return [
    "Access-Control-Allow-Methods",
    "GET, HEAD, PUT",
    "Access-Control-Allow-Headers",
    `Content-Type, If-None-Match, If-Range, Range, ${sizeHeader}`,
    "Access-Control-Max-Age",
    preflightMaxAge,
  ];
}
