import type { Span } from "../model/diagnostic.ts";

/**
 * The effect of a difference. `compatible`: none. `widening`: the new version may write values that the old one cannot
 * read, which matters while both run and after a rollback. `fill`: existing documents are added to an index first.
 * `narrowing`: existing clients' requests are refused, or they receive unknown values. `contraction`: the new version
 * writes documents or messages that the old one certainly cannot read. `decision`: older data does not fit, and a
 * person must decide how to convert it.
 */
export type Verdict = "compatible" | "widening" | "fill" | "narrowing" | "contraction" | "decision";

/** A difference between two versions. */
export interface Change {
  readonly rule: ChangeRule;
  readonly verdict: Verdict;
  /** The position in the new source; package.json for removed declarations. */
  readonly at: Span;
  /** One sentence without a full stop. */
  readonly message: string;
  /** The old and the new type or name; either may be "". */
  readonly before: string;
  readonly after: string;
  /** Advice for the developer. */
  readonly hint?: string;
  /** The removed declaration, such as `queue emails`; absent for other changes. */
  readonly removed?: string;
}

/** The rules of `fw check --against`, by id. */
export const changeRules = {
  "evolve-document": "Stored documents fit the new type of their entity",
  "evolve-message": "Waiting messages fit the new type of their queue, topic or job",
  "evolve-removed": "Declarations that hold data stay declared",
  "evolve-index": "A new index is filled from existing documents",
  "evolve-rollback": "The old version can read what the new one writes",
  "evolve-request": "A request that was accepted stays accepted",
  "evolve-answer": "A response stays one that clients know",
  "evolve-route": "A public route stays",
  "evolve-session": "Sessions and the ways to sign in stay",
} as const;

export type ChangeRule = keyof typeof changeRules;

/** True if someone must act before this change is released. */
export function needsAction({ verdict }: Change): boolean {
  return verdict === "narrowing" || verdict === "decision";
}

/** Formats the message of a change with both types. */
export function changeSentence({ message, before, after }: Change): string {
  if (before === "" && after === "") return message;
  const [old, now] = [before, after].map((type) => (type === "" ? "nothing" : `\`${type}\``));
  return `${message}: ${old} before, ${now} now`;
}

/**
 * Returns the changes that prevent a version from starting while the older one still runs: one version cannot read the
 * other's data, or something that the older one uses was removed.
 */
export function unsafeChanges(changes: readonly Change[], isUsed: (removed: string) => boolean): readonly Change[] {
  return changes.filter(
    ({ verdict, removed }) =>
      verdict === "contraction" || (verdict === "decision" && (removed === undefined || isUsed(removed))),
  );
}
