import { StatusError } from "../../declare/errors.ts";
import { isA } from "../../lib/thrown.ts";
import { PlatformError, type PlatformErrorCode } from "../../platform/errors.ts";
import { messages } from "../error-messages.ts";

/** Refusals that clients may see, by the error code of the platform. */
export type Refusals = Readonly<Partial<Record<PlatformErrorCode, (error: PlatformError) => StatusError>>>;

/** The refusal of a write that kept conflicting with concurrent writes. */
export const conflicts: Refusals = { conflict: () => new StatusError(409, messages.conflict) };

/** Runs work on a platform and converts its errors with `visibleError`. */
export async function refusing<T>(refusals: Refusals, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw visibleError(refusals, error);
  }
}

/**
 * Converts a platform error listed in `refusals` to a refusal that clients may see. Returns any other error unchanged.
 */
export function visibleError(refusals: Refusals, error: unknown): unknown {
  const refusal = isA(error, PlatformError) ? refusals[error.code] : undefined;
  return refusal === undefined ? error : refusal(error as PlatformError);
}
