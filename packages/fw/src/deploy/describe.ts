import { shortName } from "./api-path.ts";
import { changeTexts, grantTexts } from "./change-text.ts";
import { driverOf } from "./kinds/drivers.ts";
import type { Notes } from "./driver.ts";
import type { Plan, PlanStep } from "./plan.ts";
import type { Kind } from "./resource.ts";

/** A step as shown to people and programs. */
export interface DescribedStep {
  readonly op: PlanStep["op"];
  readonly kind: Kind;
  readonly id: string;
  readonly title: string;
  /** The resource's package; absent for resources of the whole application or project. */
  readonly package?: string;
  readonly changes: readonly string[];
  readonly notes: Notes;
  /** The reason if it is blocked. */
  readonly why?: string;
  /** Whether it deletes data permanently or causes downtime; the user must confirm it by name. */
  readonly destroys: boolean;
}

export function describe(step: PlanStep): DescribedStep {
  const { op, resource } = step;
  const { kind, id } = resource;
  const driver = driverOf(kind);
  const spec = "spec" in resource ? resource.spec : {};
  const notes = op === "noop" || op === "blocked" ? undefined : driver.notes?.(op, { id, spec });
  const ownNotes = notes ?? {};
  return {
    op,
    kind,
    id,
    title: "title" in resource ? resource.title : (driver.titleOf?.(id) ?? `${kind} ${shortName(id)}`),
    ...("package" in resource && resource.package !== undefined && { package: resource.package }),
    changes: changesIn(step),
    notes: ownNotes,
    ...(op === "blocked" && { why: step.why }),
    destroys: (op === "prune" && ownNotes.forGood !== undefined) || op === "replace",
  };
}

function changesIn(step: PlanStep): readonly string[] {
  if ("changes" in step) return step.changes.flatMap(changeTexts);
  const isGrants = step.op === "create" && step.resource.kind === "grants";
  return isGrants ? grantTexts([], step.resource.spec["bindings"] ?? []) : [];
}

/** The steps that change something or are blocked. */
export function describedSteps({ steps }: Plan): readonly DescribedStep[] {
  return steps.filter(({ op }) => op !== "noop").map(describe);
}
