import type { Diagnostic as TypeScriptDiagnostic } from "typescript/unstable/async";

/** Returns the first and the innermost message of a chain; the messages between them repeat long types. */
export function errorMessage(error: TypeScriptDiagnostic): string {
  let last: TypeScriptDiagnostic = error;
  for (let next = last.messageChain?.[0]; next; next = last.messageChain?.[0]) last = next;
  return withoutStop(last === error ? error.text : `${withoutStop(error.text)}: ${last.text}`);
}

export function withoutStop(text: string): string {
  return text.endsWith(".") ? text.slice(0, -1) : text;
}
