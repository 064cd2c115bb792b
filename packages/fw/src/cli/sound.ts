import type { App } from "../model/app.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { Refusal } from "./command.ts";
import { nothingDeclared } from "./nothing-declared.ts";

/** Refuses to work with an application in which a rule stands, or that declares nothing. */
export function requireSound(
  root: string,
  { app, diagnostics }: { readonly app: App; readonly diagnostics: readonly Diagnostic[] },
): void {
  if (diagnostics.length > 0) {
    const problems = diagnostics.length === 1 ? "a problem" : `${diagnostics.length} problems`;
    throw new Refusal(`the application has ${problems}; "fw check" shows what`);
  }
  if (app.packages.length === 0) throw nothingDeclared(root);
}
