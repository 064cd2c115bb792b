import type { UserOperations } from "../../declare/host.ts";
import type { Application } from "../application.ts";

/** Carries out account management, on the application's platform. */
export function userOperations(_application: () => Application): UserOperations {
  const missing = (): never => {
    throw new Error("not here yet");
  };
  return {
    create: missing,
    get: missing,
    byEmail: missing,
    page: missing,
    grant: missing,
    revoke: missing,
    disable: missing,
    enable: missing,
    delete: missing,
  };
}
