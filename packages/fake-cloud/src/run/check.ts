import { badRequest, type Violation } from "../errors.ts";
import type { ContainerTemplate } from "./containers.ts";

const reserved = ["PORT", "K_SERVICE", "K_REVISION", "K_CONFIGURATION"];

/** Refuses containers that Cloud Run cannot start. */
export function checkContainers(field: string, containers: readonly ContainerTemplate[] = []): void {
  const violations: Violation[] = [];
  if (containers.length === 0)
    violations.push({
      field: `${field}.containers`,
      description: `${field}.containers: At least one container is required.`,
    });
  for (const [at, { image, env = [] }] of containers.entries()) {
    const place = `${field}.containers[${at}]`;
    if (!image)
      violations.push({ field: `${place}.image`, description: `${place}.image: Required field not provided.` });
    const set = env.flatMap(({ name = "" }) => (reserved.includes(name) ? [name] : []));
    if (set.length > 0)
      violations.push({
        field: `${place}.env`,
        description: `${place}.env: The following reserved env names were provided: ${set.join(", ")}. These values are automatically set by the system.`,
      });
    const names = env.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined)
      violations.push({
        field: `${place}.env`,
        description: `${place}.env: Duplicate environment variable name ${twice}.`,
      });
  }
  if (violations.length > 0) throw badRequest(violations);
}
