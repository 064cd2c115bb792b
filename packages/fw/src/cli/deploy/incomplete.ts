import type { DeployResult } from "../../deploy/deploy.ts";

/** A deploy or destroy that did not finish. */
type Incomplete = Pick<DeployResult, "outcomes" | "interruption">;

/** Explains why a deploy or destroy stopped early, how many steps are left, and how to resume. */
export function incompleteText(command: "deploy" | "destroy", { outcomes, interruption }: Incomplete): string {
  const reason = interruption === undefined ? "" : `${interruption.message}\n`;
  const remaining = outcomes.filter(({ state }) => state !== "done").length;
  return `\n${command} incomplete: ${reason}${remaining} ${remaining === 1 ? "step" : "steps"} left. Run the same command to resume.\n`;
}

/** Returns the reason for an interruption, for JSON output; empty if there was none. */
export function stoppedText(incomplete: Pick<Incomplete, "interruption"> | undefined): { readonly stopped?: string } {
  const { interruption } = incomplete ?? {};
  return interruption === undefined ? {} : { stopped: interruption.message };
}
