import type { App } from "../../model/app.ts";
import { declarationKey, ofKind } from "../../model/declarations.ts";
import { readingOperations } from "../../model/grants.ts";
import type { EntryUses, Use } from "../../model/uses.ts";
import type { UnfollowedUse } from "../readers/unfollowed-use.ts";

/** Lists the operations in live pages that are not entity reads. */
export function unfollowedUses({ packages }: App, uses: readonly EntryUses[]): readonly UnfollowedUse[] {
  const pages = packages.flatMap((pkg) => ofKind(pkg, "page")).filter(({ settings }) => settings.live === true);
  const routes = new Map(pages.map(({ declaration, route }) => [declarationKey(declaration), route.pattern]));
  return uses.flatMap((entry) => {
    const route = routes.get(declarationKey(entry));
    if (route === undefined) return [];
    return entry.uses.flatMap((use) =>
      isFollowed(use) ? [] : [{ route, operation: `${use.operation} of ${subjectOf(use)}`, at: use.at }],
    );
  });
}

/** Secrets and metrics do not affect what a page shows, and signing a URL reads nothing. */
function isFollowed({ kind, operation }: Use): boolean {
  if (kind === "entity") return readingOperations.has(operation);
  // Runs of jobs are documents, too.
  if (kind === "job") return readingOperations.has(operation);
  return kind === "secret" || (kind === "bucket" && operation.startsWith("signed"));
}

function subjectOf({ kind, name }: Use): string {
  return name === "" ? kind : `the ${kind} ${name}`;
}
