import type { Diagnostic } from "../model/diagnostic.ts";
import type { DeclarationCall } from "./resolution/declarations.ts";
import { spanOf } from "./source/position.ts";

/** A mistake of fw itself, told where it happened: whatever a source holds, the analysis goes on. */
export function defectAt({ module, call }: DeclarationCall, error: unknown): Diagnostic {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    code: "defect",
    at: spanOf(module, call.callee),
    message: `fw failed to read this declaration (${what})`,
    hint: "this is a defect of fw; please report it with this declaration",
  };
}

/** TypeScript could not be asked what this declaration's types are. */
export function unansweredAt({ module, call }: DeclarationCall, error: Error): Diagnostic {
  return {
    code: "typescript",
    at: spanOf(module, call.callee),
    message: `the types of this declaration could not be found out: ${error.message}`,
    hint: "annotate the request and the response of its handler, or check that TypeScript runs here",
  };
}
