import { CloudError } from "../platform/gcp/rest/cloud-error.ts";

/** Whether a call was refused because its API is off in the project. Older APIs have a word of their own for it. */
export function isSwitchedOff(error: unknown): boolean {
  return error instanceof CloudError && ["SERVICE_DISABLED", "accessNotConfigured"].includes(error.reason);
}
