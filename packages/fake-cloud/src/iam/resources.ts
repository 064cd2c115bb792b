import type { Cloud } from "../cloud.ts";

/** Returns a service account's resource name, for grants on it. */
export function accountResource({ project }: Cloud, email: string): string {
  return `//iam.googleapis.com/projects/${project.id}/serviceAccounts/${email}`;
}

/** Names the project as a resource; its roles apply to everything. */
export function projectResource({ project }: Cloud): string {
  return `//cloudresourcemanager.googleapis.com/projects/${project.id}`;
}
