import type { IncomingMessage } from "node:http";
import { emailTaken, StatusError } from "../../declare/errors.ts";
import { denialOf } from "../auth/policy.ts";
import type { BundledRemote } from "../bundle.ts";
import type { ErrorKind } from "../response/refusal.ts";
import type { ServiceRefusal } from "../response/service-answer.ts";
import { nameOf } from "./name.ts";

/**
 * The error that an answer without a result stands for: a refusal with its status, sentence and kind. Anything else is nothing that
 * a visitor may read: the service failed, or somebody before it answered.
 */
export function failureOf(remote: BundledRemote, res: IncomingMessage, bytes: Buffer): Error {
  const kind = res.headers["x-fw-error"] as ErrorKind | undefined;
  const { statusCode = 0 } = res;
  if (kind === undefined || kind === "internal") return new Error(opaque(remote, res));
  const { error, policy = "", details } = JSON.parse(bytes.toString()) as ServiceRefusal;
  if (kind === "denied") return denialOf(policy, error);
  return kind === "email-taken" ? emailTaken(error) : new StatusError(statusCode, error, details);
}

function opaque(remote: BundledRemote, { statusCode = 0, headers }: IncomingMessage): string {
  const id = headers["x-request-id"];
  const where = typeof id === "string" ? `; its log has the cause, req=${id}` : "";
  const failed = headers["x-fw-error"] === "internal";
  return `${nameOf(remote)} ${failed ? "failed" : `was answered with ${statusCode}, which it did not say itself`}${where}`;
}
