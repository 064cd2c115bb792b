import type { Platform } from "../../platform/contract.ts";
import type { Sessions } from "./session.ts";

/** Sessions as documents of a platform. */
export function sessionsOn(_platform: Platform): Sessions {
  const missing = (): never => {
    throw new Error("not here yet");
  };
  return { find: missing, create: missing, end: missing, markStale: missing, endAll: missing };
}
