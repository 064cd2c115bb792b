import type { Outcome } from "../../deploy/apply.ts";

/** A deploy or a destroy that has not ended. */
interface Incomplete {
  readonly outcomes: readonly Outcome[];
  readonly interruption?: Error;
}

/** Why it ended early, how much is left, and how to resume it. */
export function incompleteText(command: "deploy" | "destroy", { outcomes, interruption }: Incomplete): string {
  const reason = interruption === undefined ? "" : `${interruption.message}\n`;
  const left = outcomes.filter(({ state }) => state !== "done").length;
  return `\n${command} incomplete: ${reason}${left} ${left === 1 ? "step" : "steps"} left. Run the same command to resume.\n`;
}

/** The reason as JSON output has it. */
export function stoppedText(incomplete: Pick<Incomplete, "interruption"> | undefined): { readonly stopped?: string } {
  const { interruption } = incomplete ?? {};
  return interruption === undefined ? {} : { stopped: interruption.message };
}
