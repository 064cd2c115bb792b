import { costsOf } from "../../deploy/costs.ts";
import { describedSteps, type DescribedStep } from "../../deploy/describe.ts";
import type { DomainStatus } from "../../deploy/domains/state.ts";
import type { Leftover } from "../../deploy/leftovers.ts";
import type { Plan } from "../../deploy/plan.ts";
import type { Problem } from "../../deploy/preflight/problem.ts";
import type { Palette } from "../print/colour.ts";
import { planSummary } from "./plan-summary.ts";

/** The sign of each kind of step, and the word for its count. */
const kinds: Readonly<Record<DescribedStep["op"], readonly [sign: string, word: string]>> = {
  create: ["+", "to create"],
  update: ["~", "to update"],
  replace: ["±", "to replace"],
  prune: ["-", "to remove"],
  leave: ["=", "kept"],
  blocked: ["!", "blocked"],
  noop: [" ", "unchanged"],
};

/** The number of lines, about a screen, above which a plan is grouped by package. */
const screen = 30;

export interface PlanTextOptions {
  readonly palette: Palette;
  /** Lists every step with its fields, even for a long plan. */
  readonly verbose?: boolean;
  /** The option that would delete the data that the plan keeps. */
  readonly taking?: "--data" | "--prune-data";
}

/** Formats a plan for a user: its steps, their cost, and everything that is irreversible or causes downtime. */
export function planText(plan: Plan, { palette, verbose = false, taking = "--prune-data" }: PlanTextOptions): string {
  const steps = describedSteps(plan);
  const details = steps.flatMap((step) => stepLines(step, palette, taking));
  const isGrouped = !verbose && details.length > screen;
  const lines = isGrouped ? planSummary(steps, palette) : details;
  const tail = [
    countSteps(plan) + (isGrouped ? " (--verbose lists each)" : ""),
    ...(isGrouped && steps.some(({ op }) => op === "leave") ? [`${taking} removes the data that is kept`] : []),
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
    ...(notes.forGood === undefined ? [] : [bold(`    permanent: ${notes.forGood}`)]),
    ...(notes.downtime === undefined ? [] : [bold(`    downtime: ${notes.downtime}`)]),
    ...(why === undefined ? [] : [`    ${why}`]),
    ...(op === "leave" && why === undefined ? [`    kept because it holds data: ${taking} removes it`] : []),
  ];
}

/** Formats the price of the idle application, and the items that are billed by use. */
function costLines({ steps }: Plan): readonly string[] {
  const { monthly, always, byUse } = costsOf(steps.flatMap(({ resource }) => ("spec" in resource ? [resource] : [])));
  const fixed =
    always.length === 0
      ? "none while idle"
      : `about ${Math.ceil(monthly)} USD a month at list prices: ${always.join(", ")}`;
  return [`fixed costs: ${fixed}`, ...(byUse.length === 0 ? [] : [`usage costs: ${byUse.join(", ")}`])];
}

function countSteps({ steps }: Plan): string {
  return Object.entries(kinds)
    .map(([op, [, word]]) => ({ word, count: steps.filter((step) => step.op === op).length }))
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => `${count} ${word}`)
    .join(", ");
}

/**
 * Formats a prominent warning for each role of everyone, or of everyone with a Google account, that fw did not grant.
 */
export function exposedText(exposed: Plan["exposed"], { red }: Palette): string {
  const lines = exposed.flatMap(({ what, member, role, remove }) => {
    const who = member === "allUsers" ? "everyone" : "everyone with a Google account";
    return [
      "",
      red(`WARNING: ${what} is open to ${who}: ${member} has ${role}, which fw did not grant and does not revoke`),
      `    remove it: ${remove}`,
    ];
  });
  return lines.map((line) => `${line}\n`).join("");
}

/** Lists resources that stay in the project after `fw destroy`, because other applications may use them. */
export function leftoversText(leftovers: readonly Leftover[]): string {
  if (leftovers.length === 0) return "";
  const lines = leftovers.flatMap(({ what, costs, remove }) => [
    `= ${what}`,
    `    costs: ${costs}`,
    ...(remove === undefined ? [] : [`    to remove it: ${remove}`]),
  ]);
  return ["", "kept, because other applications in the project may use it:", ...lines, ""].join("\n");
}

/** Lists all blockers of a deploy or rollback, and its warnings. */
export function problemsText(
  problems: readonly Problem[],
  { bold }: Palette,
  outcome = "nothing was built or written",
): string {
  const hard = problems.filter(({ warns }) => warns !== true);
  const count = hard.length === 1 ? "1 problem stands" : `${hard.length} problems stand`;
  const lines = hard.flatMap(({ what, at, todo }) => [
    bold(`! ${at === undefined ? "" : `${at}: `}${what}`),
    ...todo.map((line) => `    ${line}`),
  ]);
  const text = [`${count} in the way; ${outcome}:`, "", ...lines, ""].join("\n");
  return text + warningsText(problems);
}

/** Lists warnings, which do not block a deploy. */
export function warningsText(problems: readonly Problem[]): string {
  const lines = problems
    .filter(({ warns }) => warns === true)
    .flatMap(({ what, todo }) => [`warning: ${what}`, ...todo.map((line) => `    ${line}`)]);
  return lines.map((line) => `${line}\n`).join("");
}

export function domainsText(domains: readonly DomainStatus[]): string {
  const lines = domains.flatMap(({ domain, service, state, records, note }) => [
    `${domain} → ${service}: ${state}${note === undefined ? "" : ` (${note})`}`,
    ...(state === "awaiting DNS" ? records.map(({ type, name, data }) => `    set ${type} ${name} → ${data}`) : []),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

/** Formats the URL of the application's dashboard; "" if no deploy has created the dashboard. */
export function dashboardText(link: string | undefined): string {
  return link === undefined ? "" : `dashboard: ${link}\n`;
}
