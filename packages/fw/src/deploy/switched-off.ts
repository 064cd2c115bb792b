import { CloudError } from "../platform/gcp/rest/cloud-error.ts";

/** True if a call was refused because its API is disabled in the project. Older APIs phrase the error differently. */
export function isSwitchedOff(error: unknown): boolean {
  return error instanceof CloudError && ["SERVICE_DISABLED", "accessNotConfigured"].includes(error.reason);
}
