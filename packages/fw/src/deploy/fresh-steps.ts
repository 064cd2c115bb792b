import { shortName } from "./api-path.ts";
import { itemsOf, listOf, textOf } from "./fields.ts";
import type { FreshChanges } from "./fresh-changes.ts";
import type { Plan, PlanStep } from "./plan.ts";

/** Records an attempted step. Its effect reaches Google's services with a delay. */
export function addChange({ resource }: Pick<PlanStep, "resource">, fresh: FreshChanges): void {
  if (resource.kind === "api") fresh.addApi(resource.id);
  for (const email of accountsOf(resource)) fresh.addAccount(email);
}

/**
 * Records APIs and accounts that are up to date. A Google service may still deny access, because an earlier deploy or
 * an operator has just changed them. A resumed deploy treats the interrupted deploy's changes as its own.
 */
export function addUnchanged({ steps }: Plan, fresh: FreshChanges, isResumed: boolean): void {
  for (const step of steps.filter(({ op }) => op === "noop")) {
    if (isResumed || step.resource.kind === "api") addChange(step, fresh);
    for (const email of accountsOf(step.resource)) fresh.addExistingAccount(email);
  }
}

/** Returns the emails of the accounts that a step creates or grants roles to. */
function accountsOf(resource: PlanStep["resource"]): readonly string[] {
  if (resource.kind === "service-account") return [shortName(resource.id)];
  if (resource.kind !== "grants" || !("spec" in resource)) return [];
  const members = itemsOf(resource.spec["bindings"]).flatMap((binding) => listOf(binding["members"]));
  return members.map((member) => textOf(member).replace(/^\w+:/, ""));
}
