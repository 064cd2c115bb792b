import { isStatusError, type StatusError } from "../../declare/errors.ts";
import { isA } from "../../lib/thrown.ts";
import { policyBehind } from "../auth/policy.ts";
import { Busy } from "./busy.ts";
import type { Refusal } from "./refusal.ts";
import { errorKindOf } from "./service-answer.ts";

/** What a visitor may know of an error; undefined where that is nothing. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!isStatusError(error)) return undefined;
  const { status, message } = readable(error);
  if (typeof status !== "number" || typeof message !== "string") return undefined;
  if (!Number.isInteger(status) || status < 400 || status > 599) return undefined;
  const again = isA(error, Busy) ? { retryAfter: error.retryAfter } : {};
  return { status, message, policy: policyBehind(error), kind: errorKindOf(error), ...again };
}

/** An object of somebody else's can carry the brand of an error with a status. */
function readable(error: StatusError): Pick<Partial<StatusError>, "status" | "message"> {
  try {
    const { status, message } = error;
    return { status, message };
  } catch {
    return {};
  }
}
