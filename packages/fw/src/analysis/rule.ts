import type { Diagnostic } from "../model/diagnostic.ts";
import type { Intent } from "./fixes/intent.ts";
import type { ParsedApp, ParsedPackage, Parsed } from "./readers/parsed.ts";

/** What a check finds; the rule's id makes it a diagnostic. */
export interface Finding extends Omit<Diagnostic, "code" | "fix"> {
  /** What would have been right, where that is plain. */
  readonly fix?: Intent;
  /** True when it may only follow from another finding of the same declaration, which is then told alone. */
  readonly consequence?: boolean;
}

/** A finding with its code, before its fix is worked out from the syntax. */
export interface Judged extends Omit<Diagnostic, "fix"> {
  readonly fix?: Intent;
}

/**
 * One check of the analysis, as narrow as it can be: a check of a declaration runs again only when that declaration
 * was read again.
 */
export interface Rule {
  /** As the specification names it, without `fw/`. */
  readonly id: string;
  /** What holds where the rule is kept, one line. */
  readonly title: string;
  /** Looks at one declaration. */
  readonly declaration?: (read: Parsed) => Iterable<Finding>;
  /** Looks at the declarations of one package. */
  readonly package?: (read: ParsedPackage) => Iterable<Finding>;
  /** Looks at all packages. */
  readonly app?: (read: ParsedApp) => Iterable<Finding>;
}
