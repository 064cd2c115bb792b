import { costsOf } from "../../deploy/costs.ts";
import { describedSteps, type DescribedStep } from "../../deploy/describe.ts";
import type { DomainStatus } from "../../deploy/domains/state.ts";
import type { Leftover } from "../../deploy/leftovers.ts";
import type { Plan } from "../../deploy/plan.ts";
import type { Problem } from "../../deploy/preflight/problem.ts";
import type { Palette } from "../print/colour.ts";
import { planSummary } from "./plan-summary.ts";

/** The sign of each kind of step, and what is said of how many there are. */
const kinds: Readonly<Record<DescribedStep["op"], readonly [sign: string, word: string]>> = {
  create: ["+", "to create"],
  update: ["~", "to update"],
  replace: ["±", "to replace"],
  prune: ["-", "to remove"],
  leave: ["=", "left"],
  blocked: ["!", "blocked"],
  noop: [" ", "as declared"],
};

/** Lines that fit one screen: a longer plan is grouped by package. */
const screen = 30;

export interface PlanTextOptions {
  readonly palette: Palette;
  /** Lists every step with its fields, also of a long plan. */
  readonly verbose?: boolean;
  /** The option that removes what keeps data. */
  readonly taking?: "--data" | "--prune-data";
}

/** A plan for a person: its steps, their cost, and everything that cannot be undone or stops something meanwhile. */
export function planText(plan: Plan, { palette, verbose = false, taking = "--prune-data" }: PlanTextOptions): string {
  const steps = describedSteps(plan);
  const details = steps.flatMap((step) => stepLines(step, palette, taking));
  const isGrouped = !verbose && details.length > screen;
  const lines = isGrouped ? planSummary(steps, palette) : details;
  const tail = [
    countsOf(plan) + (isGrouped ? " (--verbose lists each)" : ""),
    ...(isGrouped && steps.some(({ op }) => op === "leave") ? [`${taking} removes everything that is left`] : []),
    ...(steps.some(({ op }) => op === "create" || op === "update") ? costLines(plan) : []),
  ];
  const text = [...lines, ...(lines.length > 0 ? [""] : []), ...tail, ""].join("\n");
  return text + exposedText(plan.exposed, palette);
}

function stepLines(
  { op, title, changes, notes, why }: DescribedStep,
  { bold, dim, red }: Palette,
  taking: string,
): readonly string[] {
  const line = `${kinds[op][0]} ${title}`;
  return [
    op === "prune" || op === "blocked" || op === "replace" ? red(line) : line,
    ...changes.map((change) => dim(`    ${change}`)),
    ...(notes.costs === undefined ? [] : [`    costs: ${notes.costs}`]),
    ...(notes.forGood === undefined ? [] : [bold(`    for good: ${notes.forGood}`)]),
    ...(notes.downtime === undefined ? [] : [bold(`    downtime: ${notes.downtime}`)]),
    ...(why === undefined ? [] : [`    ${why}`]),
    ...(op === "leave" ? [`    left because of its data: ${taking} removes it`] : []),
  ];
}

/** The price of the whole idle application, and the kinds of use that are billed. */
function costLines({ steps }: Plan): readonly string[] {
  const { monthly, always, byUse } = costsOf(steps.flatMap(({ resource }) => ("spec" in resource ? [resource] : [])));
  const fixed =
    always.length === 0
      ? "nothing while nothing uses it"
      : `about ${Math.ceil(monthly)} USD a month at list prices: ${always.join(", ")}`;
  return [`costs always: ${fixed}`, ...(byUse.length === 0 ? [] : [`costs by use: ${byUse.join(", ")}`])];
}

function countsOf({ steps }: Plan): string {
  return Object.entries(kinds)
    .map(([op, [, word]]) => ({ word, count: steps.filter((step) => step.op === op).length }))
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => `${count} ${word}`)
    .join(", ");
}

/** A warning that cannot be overlooked for each role that everyone has. */
export function exposedText(exposed: Plan["exposed"], { red }: Palette): string {
  const lines = exposed.flatMap(({ what, member, role, remove }) => {
    const who = member === "allUsers" ? "everyone" : "everyone with a Google account";
    return [
      "",
      red(`WARNING: ${what} is open to ${who}: ${member} has ${role}, which fw did not grant and leaves`),
      `    remove it: ${remove}`,
    ];
  });
  return lines.map((line) => `${line}\n`).join("");
}

/** Everything that stays in the project after `fw destroy` because other applications may use it. */
export function leftoversText(leftovers: readonly Leftover[]): string {
  if (leftovers.length === 0) return "";
  const lines = leftovers.flatMap(({ what, costs, remove }) => [
    `= ${what}`,
    `    costs: ${costs}`,
    ...(remove === undefined ? [] : [`    to remove it: ${remove}`]),
  ]);
  return ["", "stays, because other applications of the project may use it:", ...lines, ""].join("\n");
}

/** What stands in the way, all of it, and what is told besides. */
export function problemsText(problems: readonly Problem[], { bold }: Palette): string {
  const hard = problems.filter(({ warns }) => warns !== true);
  const count = hard.length === 1 ? "one thing stands" : `${hard.length} things stand`;
  const lines = hard.flatMap(({ what, at, todo }) => [
    bold(`! ${at === undefined ? "" : `${at}: `}${what}`),
    ...todo.map((line) => `    ${line}`),
  ]);
  const said = [`${count} in the way; nothing was built, and nothing written:`, "", ...lines, ""].join("\n");
  return said + warningsText(problems);
}

/** What does not stand in the way, and is better known. */
export function warningsText(problems: readonly Problem[]): string {
  const lines = problems
    .filter(({ warns }) => warns === true)
    .flatMap(({ what, todo }) => [`warning: ${what}`, ...todo.map((line) => `    ${line}`)]);
  return lines.map((line) => `${line}\n`).join("");
}

/** What has become of each domain, and the records that it waits for. */
export function domainsText(domains: readonly DomainStatus[]): string {
  const lines = domains.flatMap(({ domain, service, state, records, note }) => [
    `${domain} → ${service}: ${state}${note === undefined ? "" : ` (${note})`}`,
    ...(state === "awaiting DNS" ? records.map(({ type, name, data }) => `    set ${type} ${name} → ${data}`) : []),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}
