import { repeats } from "../../lib/grouped.ts";
import type { Diagnostic, Span } from "../../model/diagnostic.ts";
import { descriptionOf } from "../../model/kinds.ts";
import type { Misplaced, Parsed, ParsedPackage } from "./parsed.ts";
import { serviceName } from "./service-name.ts";

/** Directories that would be services of one name. */
export function sharedNames(packages: readonly ParsedPackage[]): readonly Diagnostic[] {
  const placed = packages.flatMap(({ name, dir, reads }) => {
    const first = reads.find(isPlaced);
    return first ? [{ name, dir, at: first.declaration.at }] : [];
  });
  return Array.from(
    repeats(placed, ({ name }) => name),
    ({ first, again }): Diagnostic => ({
      code: "package",
      at: again.at,
      message: `the directories ${written(first.dir)} and ${written(again.dir)} are both the service "${first.name}"`,
      hint: "a service is named for its directory: give one of the two another name",
      related: [{ at: first.at, message: `the service "${first.name}" of ${written(first.dir)}` }],
    }),
  );
}

function written(dir: string): string {
  return dir === "" ? `"." (the root is named for the application)` : `"${dir}"`;
}

/** Handlers that would be services of one name: each that runs alone is one of its own. */
export function sharedServices(packages: readonly ParsedPackage[]): readonly Diagnostic[] {
  const firsts = new Map<string, Span>();
  for (const { name, reads } of packages) {
    const settings = reads.find((read) => read.kind === "service");
    const placed = settings ?? reads.find(isPlaced);
    if (placed) firsts.set(settings ? serviceName(name, settings.declaration) : name, placed.declaration.at);
  }
  return packages.flatMap(({ name, reads }) =>
    reads.filter(isAlone).flatMap(({ declaration }): readonly Diagnostic[] => {
      const { at } = declaration;
      const service = serviceName(name, declaration);
      const first = firsts.get(service);
      if (!first) firsts.set(service, at);
      if (!first) return [];
      const hint = "a handler is a service named for its package and its variable: give one of the two another name";
      const related = [{ at: first, message: "the first is declared here" }];
      return [{ code: "package", at, message: `the service "${service}" is declared twice`, hint, related }];
    }),
  );
}

function isPlaced(read: Parsed): read is Exclude<Parsed, Misplaced> {
  return read.kind !== "misplaced";
}

function isAlone(read: Parsed): read is Exclude<Parsed, Misplaced> {
  return isPlaced(read) && descriptionOf(read.kind).runs === "alone";
}
