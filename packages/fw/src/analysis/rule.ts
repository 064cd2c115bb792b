import type { Diagnostic } from "../model/diagnostic.ts";
import type { Intent } from "./fixes/intent.ts";
import type { ParsedApp, ParsedPackage, Parsed } from "./readers/parsed.ts";

/** A problem found by a check; the rule's id turns it into a diagnostic. */
export interface Finding extends Omit<Diagnostic, "code" | "fix" | "severity"> {
  readonly fix?: Intent;
  /** True if it may be a consequence of another problem of the declaration, which is then reported alone. */
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
