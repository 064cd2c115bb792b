import type { Diagnostic } from "../model/diagnostic.ts";
import type { Intent } from "./fixes/intent.ts";
import type { ParsedApp, ParsedPackage, Parsed } from "./readers/parsed.ts";

/** A problem that a rule found, before it gets its code and severity. */
export interface Finding extends Omit<Diagnostic, "code" | "fix" | "severity"> {
  readonly fix?: Intent;
  /**
   * True if another problem of the declaration may be the cause. Dropped if the declaration has a problem for which
   * this is false.
   */
  readonly consequence?: boolean;
}

/** A finding with its code, before the fix is converted to edits. */
export interface CodedFinding extends Omit<Diagnostic, "fix"> {
  readonly fix?: Intent;
}

/**
 * One check of the analysis. Choose the narrowest scope: a check of a declaration runs again only if the declaration
 * changed.
 */
export interface Rule {
  /** The id as in the specification, without `fw/`. */
  readonly id: string;
  readonly title: string;
  /** True if the code works as written: `fw check` reports it but fails only with `--strict`. */
  readonly isWarning?: true;
  readonly declaration?: (read: Parsed) => Iterable<Finding>;
  readonly package?: (read: ParsedPackage) => Iterable<Finding>;
  readonly app?: (read: ParsedApp) => Iterable<Finding>;
}
