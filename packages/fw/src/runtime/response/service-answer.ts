import { emailTaken, StatusError } from "../../declare/errors.ts";
import { isHTML } from "../../declare/html.ts";
import { isRedirection } from "../../declare/redirect.ts";
import type { Reply } from "../../declare/reply.ts";
import { createDenial } from "../auth/policy.ts";
import { isBlob } from "../blob/send-blob.ts";
import type { Request } from "../request.ts";
import { errorText, type Refusal } from "./refusal.ts";
import { sendText } from "./send.ts";

/** The kind of a result, sent to calling services in `X-Fw-Result` because the content type would be ambiguous. */
export type ResultKind = "json" | "nothing" | "document" | "fragment" | "redirect" | "blob";

export interface ServiceRefusal {
  readonly error: string;
  readonly policy?: string;
  readonly details?: unknown;
}

/** Marks the kind of a result for a calling service. */
export function markResult(request: Request, result: unknown): void {
  request.draft.addHeader("X-Fw-Result", kindOf(result));
}

/** The header with the parts of a reply other than its body. */
export const replyHeader = "x-fw-reply";

/** The parts of a reply other than its body. */
export type SaidByReply = Pick<Reply, "status" | "headers" | "cookies">;

/** Marks the response as a reply for a calling service, with its status, headers and cookies. */
export function markReply(request: Request, { body, status, headers, cookies }: Reply): void {
  markResult(request, body);
  request.draft.addHeader(replyHeader, encodeURIComponent(JSON.stringify({ status, headers, cookies })));
}

/** Sends a refusal to a calling service, never as a page. */
export function refuseService(
  request: Request,
  { status, message, kind = "status", policy, detailsText }: Refusal,
): void {
  request.draft.addHeader("X-Fw-Error", kind);
  const text = errorText(message, detailsText, policy === "" ? undefined : policy);
  sendText(request, status, "application/json", ["Cache-Control", "no-store"], text);
}

/** Recreates the error behind another service's refusal. */
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
