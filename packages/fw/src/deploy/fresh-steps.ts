import { shortName } from "./api-path.ts";
import { itemsOf, listOf, textOf } from "./fields.ts";
import type { FreshChanges } from "./fresh.ts";
import type { Plan, Step } from "./plan.ts";

/** Notes a step that was carried out: Google's services learn of it some time later. */
export function addChange({ resource }: Pick<Step, "resource">, fresh: FreshChanges): void {
  if (resource.kind === "api") fresh.addApi(resource.id);
  for (const email of accountsOf(resource)) fresh.addAccount(email);
}

/**
 * Notes what a plan finds as declared: a service of Google may still deny it if an earlier deploy or an operator has
 * just changed it. The changes of an interrupted deploy count as those of the one that resumes it.
 */
export function addUnchanged({ steps }: Plan, fresh: FreshChanges, isResumed: boolean): void {
  for (const step of steps.filter(({ op }) => op === "noop")) {
    if (isResumed || step.resource.kind === "api") addChange(step, fresh);
    for (const email of accountsOf(step.resource)) fresh.addExistingAccount(email);
  }
}

/** The addresses of the accounts that a step is about: one that it makes, or those that it grants roles to. */
function accountsOf(resource: Step["resource"]): readonly string[] {
  if (resource.kind === "service-account") return [shortName(resource.id)];
  if (resource.kind !== "grants" || !("spec" in resource)) return [];
  const members = itemsOf(resource.spec["bindings"]).flatMap((binding) => listOf(binding["members"]));
  return members.map((member) => textOf(member).replace(/^\w+:/, ""));
}
