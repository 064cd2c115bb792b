import type { Cloud } from "../cloud.ts";

/** A service account as a resource, on which others are granted roles. */
export function accountResource({ project }: Cloud, email: string): string {
  return `//iam.googleapis.com/projects/${project.id}/serviceAccounts/${email}`;
}

/** The project, on which roles hold for everything. */
export function projectResource({ project }: Cloud): string {
  return `//cloudresourcemanager.googleapis.com/projects/${project.id}`;
}
