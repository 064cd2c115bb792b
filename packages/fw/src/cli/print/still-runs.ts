import { isError, type Diagnostic } from "../../model/diagnostic.ts";

/** Says that problems of the type check do not stop an application that is running. */
export function stillRuns(diagnostics: readonly Diagnostic[]): string {
  const problems = diagnostics.some(isError) ? "Type errors" : "Warnings";
  return `${problems} do not stop the application from running.`;
}
