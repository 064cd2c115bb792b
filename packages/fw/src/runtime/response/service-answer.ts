import { emailTaken, StatusError } from "../../declare/errors.ts";
import { isHTML } from "../../declare/html.ts";
import { isRedirection } from "../../declare/redirect.ts";
import type { Reply } from "../../declare/reply.ts";
import { createDenial } from "../auth/policy.ts";
import { isBlob } from "../blob/send-blob.ts";
import type { Request } from "../request.ts";
import { errorText, type Refusal } from "./refusal.ts";
import { sendText } from "./send.ts";

/** What a handler returned, as `X-Fw-Result` tells another service; its content type would not do. */
export type ResultKind = "json" | "nothing" | "document" | "fragment" | "redirect" | "blob";

/** A refusal as another service reads it. */
export interface ServiceRefusal {
  readonly error: string;
  /** The policy that refused. */
  readonly policy?: string;
  readonly details?: unknown;
}

/** Tells another service what the answer holds. */
export function markResult(request: Request, result: unknown): void {
  request.draft.addHeader("X-Fw-Result", kindOf(result));
}

/** Has what a reply says besides its body. */
export const replyHeader = "x-fw-reply";

/** What a reply says besides its body. */
export type SaidByReply = Pick<Reply, "status" | "headers" | "cookies">;

/** Tells another service that the answer is a reply, and what it says besides its body. */
export function markReply(request: Request, { body, status, headers, cookies }: Reply): void {
  markResult(request, body);
  request.draft.addHeader(replyHeader, encodeURIComponent(JSON.stringify({ status, headers, cookies })));
}

/** Tells another service what failed: never as a designed page. */
export function refuseService(
  request: Request,
  { status, message, kind = "status", policy, detailsText }: Refusal,
): void {
  request.draft.addHeader("X-Fw-Error", kind);
  const text = errorText(message, detailsText, policy === "" ? undefined : policy);
  sendText(request, status, "application/json", ["Cache-Control", "no-store"], text);
}

/** The error that a refusal of another service stands for here. */
export function errorOf({ kind, status, message, policy = "" }: Refusal, details: unknown): StatusError {
  if (kind === "denied") return createDenial(policy, message);
  return kind === "email-taken" ? emailTaken(message) : new StatusError(status, message, details);
}

function kindOf(result: unknown): ResultKind {
  if (result === undefined) return "nothing";
  if (isBlob(result)) return "blob";
  if (isHTML(result)) return result.document ? "document" : "fragment";
  return isRedirection(result) ? "redirect" : "json";
}
