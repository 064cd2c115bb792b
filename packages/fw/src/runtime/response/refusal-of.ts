import { isStatusError, type StatusError } from "../../declare/errors.ts";
import { isA } from "../../lib/thrown.ts";
import { policyBehind } from "../auth/policy.ts";
import { exactText } from "../../lib/exact-text.ts";
import { Busy } from "./busy.ts";
import type { Refusal } from "./refusal.ts";
import { errorKindOf } from "./service-answer.ts";

/** What a visitor may know of an error; undefined where that is nothing. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!isStatusError(error)) return undefined;
  const { status, message, detailsText } = readable(error);
  if (typeof status !== "number" || typeof message !== "string") return undefined;
  if (!Number.isInteger(status) || status < 400 || status > 599) return undefined;
  const again = isA(error, Busy) ? { retryAfter: error.retryAfter } : {};
  const more = detailsText === undefined ? again : { ...again, detailsText };
  return { status, message, policy: policyBehind(error), kind: errorKindOf(error), ...more };
}

interface Readable {
  readonly status?: unknown;
  readonly message?: unknown;
  readonly detailsText?: string | undefined;
}

/** An object of somebody else's can carry the brand of an error with a status, and details can be what JSON cannot hold. */
function readable(error: StatusError): Readable {
  try {
    const { status, message, details } = error;
    return { status, message, detailsText: details === undefined ? undefined : exactText(details) };
  } catch {
    return {};
  }
}
