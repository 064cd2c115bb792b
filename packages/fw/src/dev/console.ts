import type { App } from "../model/app.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { RouteClash } from "./clashes.ts";
import type { Failure } from "./protocol.ts";

/** What the person at the terminal is told, one method an event. */
export interface DevConsole {
  ready(at: { readonly port: number; readonly ms: number; readonly app: App }): void;
  /** A change is live. */
  reloaded(what: { readonly files: readonly string[]; readonly ms: number }): void;
  /** The code on disk does not go live, because of what analysis found or because it cannot run. */
  refused(diagnostics: readonly Diagnostic[], standing: Standing): void;
  failed(failure: Failure, standing: Standing): void;
  /** The application ended; a sentence on why and what follows, and where its code was. */
  crashed(sentence: string, stack: string | undefined): void;
  /** TypeScript's findings, which keep nothing from running. */
  typeErrors(diagnostics: readonly Diagnostic[]): void;
  /** Why there is no generated client of what is live. */
  clientRefused(diagnostics: readonly Diagnostic[]): void;
  clashes(clashes: readonly RouteClash[]): void;
  buildFailed(why: { readonly message: string; readonly output: string }): void;
  /** Anything else, a sentence. */
  note(sentence: string): void;
}

/** Whether an earlier version goes on answering, and where. */
export interface Standing {
  readonly serving: boolean;
  readonly port: number;
}
