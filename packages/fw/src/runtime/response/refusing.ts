import { StatusError } from "../../declare/errors.ts";
import { isA } from "../../lib/thrown.ts";
import { PlatformError, type PlatformErrorCode } from "../../platform/errors.ts";
import { messages } from "../error-messages.ts";

/** What a visitor may know of what a platform refuses, by its code. */
export type Refusals = Readonly<Partial<Record<PlatformErrorCode, (error: PlatformError) => StatusError>>>;

/** The refusal of work that kept losing against somebody else's. */
export const conflicts: Refusals = { conflict: () => new StatusError(409, messages.conflict) };

/** What work on a platform comes to; what the platform refuses fails as its visitor may know it. */
export async function refusing<T>(refusals: Refusals, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw visibleError(refusals, error);
  }
}

/** What a visitor may know of an error of the platform; any other error as it is. */
export function visibleError(refusals: Refusals, error: unknown): unknown {
  const refusal = isA(error, PlatformError) ? refusals[error.code] : undefined;
  return refusal === undefined ? error : refusal(error as PlatformError);
}
