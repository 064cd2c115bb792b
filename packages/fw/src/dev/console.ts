import type { App } from "../model/app.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { RouteClash } from "./clashes.ts";
import type { Failure } from "./protocol.ts";

/** The dev server's output in the terminal, with one method for each event. */
export interface DevConsole {
  ready(at: {
    readonly port: number;
    readonly ms: number;
    readonly app: App;
    /** The texts of the application's modules, by path. */
    readonly sources: ReadonlyMap<string, string>;
  }): void;
  /** A change went live. */
  reloaded(what: { readonly files: readonly string[]; readonly ms: number }): void;
  /** The code on disk does not go live, because the analysis has found problems. */
  rejected(diagnostics: readonly Diagnostic[], standing: ServingState): void;
  failed(failure: Failure, standing: ServingState): void;
  /** The application exited. `sentence` says why and what happens next; `stack` is the error's stack trace. */
  crashed(sentence: string, stack: string | undefined): void;
  /** The result of the type check has changed. Type errors do not stop the application. */
  typeErrors(diagnostics: readonly Diagnostic[]): void;
  /** The generated client was not updated, for these reasons. */
  clientRefused(diagnostics: readonly Diagnostic[]): void;
  clashes(clashes: readonly RouteClash[]): void;
  buildFailed(why: { readonly message: string; readonly output: string }): void;
  /** Prints any other message. */
  note(sentence: string): void;
}

/** Whether an earlier version still responds, and on which port. */
export interface ServingState {
  readonly serving: boolean;
  readonly port: number;
}
