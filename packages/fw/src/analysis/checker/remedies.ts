import type { Diagnostic as TypeScriptDiagnostic, Project } from "typescript/unstable/async";
import { fixableTypeErrors } from "../../model/diagnostic.ts";
import { markedKeyRemedy } from "./marked-key-hint.ts";
import { markedSwitchRemedy } from "./marked-switch-hint.ts";
import type { Remedy } from "./source-fix.ts";

type AskRemedy = (project: Project, error: TypeScriptDiagnostic) => Promise<Remedy | undefined>;

/** Maps TypeScript's error numbers to remedies. */
const remedies: Readonly<Record<number, AskRemedy | undefined>> = {
  [fixableTypeErrors.missingReturn]: markedSwitchRemedy,
  [fixableTypeErrors.missingPath]: markedSwitchRemedy,
  [fixableTypeErrors.unknownKey]: markedKeyRemedy,
};

/** Returns hints and fixes for errors that only marked types cause. */
export async function remediesFor(
  project: Project,
  errors: readonly TypeScriptDiagnostic[],
): Promise<ReadonlyMap<TypeScriptDiagnostic, Remedy>> {
  const byError = new Map<TypeScriptDiagnostic, Remedy>();
  for (const error of errors) {
    const remedy = await remedies[error.code]?.(project, error);
    if (remedy) byError.set(error, remedy);
  }
  return byError;
}
