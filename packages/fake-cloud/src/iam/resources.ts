import type { Cloud } from "../cloud.ts";

/** Names a service account as a resource, on which other accounts get roles. */
export function accountResource({ project }: Cloud, email: string): string {
  return `//iam.googleapis.com/projects/${project.id}/serviceAccounts/${email}`;
}

/** Names the project as a resource; its roles apply to everything. */
export function projectResource({ project }: Cloud): string {
  return `//cloudresourcemanager.googleapis.com/projects/${project.id}`;
}
