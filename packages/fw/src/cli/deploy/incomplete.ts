import type { Outcome } from "../../deploy/apply.ts";

/** A deploy or destroy that did not finish. */
interface Incomplete {
  readonly outcomes: readonly Outcome[];
  readonly interruption?: Error;
}

/** Explains why it stopped early, how many steps are left, and how to resume. */
export function incompleteText(command: "deploy" | "destroy", { outcomes, interruption }: Incomplete): string {
  const reason = interruption === undefined ? "" : `${interruption.message}\n`;
  const remaining = outcomes.filter(({ state }) => state !== "done").length;
  return `\n${command} incomplete: ${reason}${remaining} ${remaining === 1 ? "step" : "steps"} left. Run the same command to resume.\n`;
}

/** The reason in JSON output. */
export function stoppedText(incomplete: Pick<Incomplete, "interruption"> | undefined): { readonly stopped?: string } {
  const { interruption } = incomplete ?? {};
  return interruption === undefined ? {} : { stopped: interruption.message };
}
