import { shortName } from "./api-path.ts";
import { driverOf } from "./kinds/drivers.ts";
import type { Notes } from "./driver.ts";
import type { Plan, PlanStep } from "./plan.ts";
import type { Resource } from "./resource.ts";
import { isFields, itemsOf, listOf, textOf, type Change, type Value } from "./fields.ts";

/** The maximum length of a value in a plan. */
const maxCharacters = 80;

/** A step as shown to people and programs. */
export interface DescribedStep extends Pick<Resource, "kind" | "id" | "title" | "package"> {
  readonly op: PlanStep["op"];
  readonly changes: readonly string[];
  readonly notes: Notes;
  /** The reason for a step that is blocked or keeps a resource. */
  readonly why?: string;
  /** True if it deletes something permanently or replaces a resource, so that the user must confirm it by name. */
  readonly destroys: boolean;
}

export function describe(step: PlanStep): DescribedStep {
  const { op, resource } = step;
  const { kind, id } = resource;
  const driver = driverOf(kind);
  const spec = "spec" in resource ? resource.spec : {};
  const live = "live" in step ? step.live : {};
  const notes = op === "noop" || op === "blocked" ? undefined : driver.notes?.(op, { id, spec }, live);
  const ownNotes = notes ?? {};
  return {
    op,
    kind,
    id,
    title: "title" in resource ? resource.title : (driver.titleOf?.(id) ?? `${kind} ${shortName(id)}`),
    ...("package" in resource && resource.package !== undefined && { package: resource.package }),
    changes: changesIn(step),
    notes: ownNotes,
    ...("why" in step && step.why !== undefined && { why: step.why }),
    destroys: (op === "prune" && ownNotes.forGood !== undefined) || op === "replace",
  };
}

function changesIn(step: PlanStep): readonly string[] {
  if ("changes" in step) return step.changes.flatMap(changeTexts);
  const isGrants = step.op === "create" && step.resource.kind === "grants";
  return isGrants ? grantTexts([], step.resource.spec["bindings"] ?? []) : [];
}

/** Describes all steps other than no-ops. */
export function describedSteps({ steps }: Plan): readonly DescribedStep[] {
  return steps.filter(({ op }) => op !== "noop").map(describe);
}

/**
 * Formats a change: `template.containers[0].image: "a" → "b"`. A policy gets a line for each added or removed grant.
 */
function changeTexts({ path, from, to }: Change): readonly string[] {
  if (path === "bindings") return grantTexts(from ?? [], to);
  return [from === undefined ? `${path}: ${abbreviate(to)}` : `${path}: ${abbreviate(from)} → ${abbreviate(to)}`];
}

function abbreviate(value: Value): string {
  const text = JSON.stringify(value);
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
}

/** Formats added and removed grants, such as `+ roles/run.invoker: shop-prod-web`. */
function grantTexts(from: Value, to: Value): readonly string[] {
  const [before, after] = [grantsIn(from), grantsIn(to)];
  return [
    ...after.filter((grant) => !before.includes(grant)).map((grant) => `+ ${grant}`),
    ...before.filter((grant) => !after.includes(grant)).map((grant) => `- ${grant}`),
  ];
}

function grantsIn(bindings: Value): readonly string[] {
  return itemsOf(bindings).flatMap(({ role, members, condition }) => {
    const where = isFields(condition) ? ` (${textOf(condition["title"])})` : "";
    const names = listOf(members).map((member) =>
      textOf(member)
        .replace(/^serviceAccount:/, "")
        .replace(/@.*$/, ""),
    );
    return names.map((member) => `${textOf(role)}: ${member}${where}`);
  });
}
