import { shortName } from "./api-path.ts";
import { changeTexts, grantTexts } from "./change-text.ts";
import { driverOf } from "./kinds/drivers.ts";
import type { Notes } from "./driver.ts";
import type { Plan, Step } from "./plan.ts";
import type { Kind } from "./resource.ts";

/** A step as people and programs read it. */
export interface DescribedStep {
  readonly op: Step["op"];
  readonly kind: Kind;
  readonly id: string;
  readonly title: string;
  /** The package it belongs to; absent for resources of the whole application or project. */
  readonly package?: string;
  readonly changes: readonly string[];
  readonly notes: Notes;
  /** Why it is blocked. */
  readonly why?: string;
  /** It takes away what cannot be made again, or something is not answered meanwhile: it is confirmed by name. */
  readonly destroys: boolean;
}

export function describe(step: Step): DescribedStep {
  const { op, resource } = step;
  const { kind, id } = resource;
  const driver = driverOf(kind);
  const spec = "spec" in resource ? resource.spec : {};
  const notes = op === "noop" || op === "blocked" ? undefined : driver.notes?.(op, { id, spec });
  const own = notes ?? {};
  return {
    op,
    kind,
    id,
    title: "title" in resource ? resource.title : (driver.titleOf?.(id) ?? `${kind} ${shortName(id)}`),
    ...("package" in resource && resource.package !== undefined && { package: resource.package }),
    changes: changesIn(step),
    notes: own,
    ...(op === "blocked" && { why: step.why }),
    destroys: (op === "prune" && own.forGood !== undefined) || op === "replace",
  };
}

function changesIn(step: Step): readonly string[] {
  if ("changes" in step) return step.changes.flatMap(changeTexts);
  const isGrants = step.op === "create" && step.resource.kind === "grants";
  return isGrants ? grantTexts([], step.resource.spec["bindings"] ?? []) : [];
}

/** The steps that do something, or cannot. */
export function describedSteps({ steps }: Plan): readonly DescribedStep[] {
  return steps.filter(({ op }) => op !== "noop").map(describe);
}
