import type { Diagnostic } from "../model/diagnostic.ts";
import type { DeclarationCall } from "./resolution/declarations.ts";
import { spanOf } from "./source/position.ts";

/** Reports a bug in fw at the declaration that triggers it, so that the analysis can continue. */
export function defectAt({ module, call }: DeclarationCall, error: unknown): Diagnostic {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    code: "defect",
    at: spanOf(module, call.callee),
    message: `fw failed to read this declaration (${reason})`,
    hint: "this is a bug in fw; please report it with this declaration",
  };
}

/** Reports that TypeScript could not resolve a declaration's types. */
export function unansweredAt({ module, call }: DeclarationCall, error: Error): Diagnostic {
  return {
    code: "typescript",
    at: spanOf(module, call.callee),
    message: `fw could not resolve the types of this declaration: ${error.message}`,
    hint: "annotate the request and the response of the handler, or check that TypeScript runs on this machine",
  };
}
