import type { Span } from "../model/diagnostic.ts";

/**
 * The meaning of a difference. `compatible`: nothing to do. `widening`: the new version may write values that the old
 * one cannot read, which matters while both run and after a rollback. `fill`: existing documents are filled in first.
 * `narrowing`: clients that worked are refused, or receive values that they do not know. `contraction`: the new
 * version writes documents that the old one is certain not to read. `decision`: older data does not fit, and a person
 * decides how to convert it.
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
  /** Both types; "" for none. */
  readonly before: string;
  readonly after: string;
  /** The way out. */
  readonly hint?: string;
  /** The removed declaration, such as `queue emails`; absent for other changes. */
  readonly removed?: string;
}

/** The rules of `fw check --against`, by id. */
export const changeRules = {
  "evolve-document": "Stored documents fit the new type of their entity",
  "evolve-message": "Waiting messages fit the new type of their queue, topic or job",
  "evolve-removed": "What holds data stays declared",
  "evolve-index": "A new index is filled from existing documents",
  "evolve-rollback": "The old version can read what the new one writes",
  "evolve-request": "A request that was accepted stays accepted",
  "evolve-answer": "An answer stays one that clients know",
  "evolve-route": "A public route stays",
  "evolve-session": "Sessions and the ways to sign in stay",
} as const;

export type ChangeRule = keyof typeof changeRules;

/** True if an action is needed before this change is released. */
export function needsAction({ verdict }: Change): boolean {
  return verdict === "narrowing" || verdict === "decision";
}

/** The message of a change, with both types side by side. */
export function changeSentence({ message, before, after }: Change): string {
  if (before === "" && after === "") return message;
  const [old, now] = [before, after].map((type) => (type === "" ? "nothing" : `\`${type}\``));
  return `${message}: ${old} before, ${now} now`;
}

/**
 * The changes with which a version must not start while the version that it was compared with still runs: one of both
 * cannot read what the other one writes, or what the other one uses is gone.
 */
export function unsafeChanges(changes: readonly Change[], isUsed: (removed: string) => boolean): readonly Change[] {
  return changes.filter(
    ({ verdict, removed }) =>
      verdict === "contraction" || (verdict === "decision" && (removed === undefined || isUsed(removed))),
  );
}
