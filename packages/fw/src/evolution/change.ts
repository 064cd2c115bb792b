import type { Span } from "../model/diagnostic.ts";

/**
 * The meaning of a difference. `compatible`: nothing. `widening`: the new version writes what the old one cannot read,
 * which counts while both run, and after a rollback. `fill`: existing documents are filled in first. `narrowing`:
 * clients that worked are refused, or get what they do not know. `decision`: older data does not fit, and a person
 * decides what becomes of it.
 */
export type Verdict = "compatible" | "widening" | "fill" | "narrowing" | "decision";

/** A difference between two versions. */
export interface Change {
  readonly rule: ChangeRule;
  readonly verdict: Verdict;
  /** In the new source; package.json for what is gone. */
  readonly at: Span;
  /** One sentence without a full stop. */
  readonly message: string;
  /** Both types; "" for none. */
  readonly before: string;
  readonly after: string;
  /** The way out. */
  readonly hint?: string;
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
