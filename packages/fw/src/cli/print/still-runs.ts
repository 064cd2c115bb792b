import { isError, type Diagnostic } from "../../model/diagnostic.ts";

/** Explains that problems of the type check do not stop a running application. */
export function stillRuns(diagnostics: readonly Diagnostic[]): string {
  const problems = diagnostics.some(isError) ? "Type errors" : "Warnings";
  return `${problems} do not stop the application from running.`;
}
