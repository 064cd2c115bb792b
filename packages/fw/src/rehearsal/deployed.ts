import type { Manifest, ManifestService } from "../build/manifest.ts";
import type { Stem } from "../platform/gcp/names.ts";
import type { RehearsalCloud } from "./cloud.ts";

/** An application, and where it is deployed in a cloud of a rehearsal. */
export interface Deployed {
  readonly cloud: RehearsalCloud;
  readonly manifest: Manifest;
  readonly place: Stem & { readonly project: string; readonly projectNumber: string; readonly region: string };
}

/** Whether anybody but services has something to ask of it. */
export function isPublic({ kind, routes, site }: ManifestService): boolean {
  return kind === "app" && (site !== "" || routes.some(({ door }) => door !== "private"));
}

/** A service account as grants name it. */
export function accountResource({ project }: Deployed["place"], email: string): string {
  return `//iam.googleapis.com/projects/${project}/serviceAccounts/${email}`;
}
