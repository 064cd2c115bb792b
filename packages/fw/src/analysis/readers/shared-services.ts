import { cachedByObject } from "../../lib/cached-by-object.ts";
import { repeats } from "../../lib/grouped.ts";
import type { Diagnostic, Span } from "../../model/diagnostic.ts";
import { descriptionOf } from "../../model/kinds.ts";
import type { Misplaced, Parsed, ParsedPackage } from "./parsed.ts";
import { serviceName } from "./service-name.ts";

/** Reports directories that would produce services of the same name. */
export function sharedNames(packages: readonly ParsedPackage[]): readonly Diagnostic[] {
  const directories = packages.flatMap((each) => {
    const { name, dir } = each;
    const { first } = servicesIn(each);
    return first ? [{ name, dir, at: first.declaration.at }] : [];
  });
  return Array.from(
    repeats(directories, ({ name }) => name),
    ({ first, again }): Diagnostic => ({
      code: "package",
      at: again.at,
      message: `the directories ${describeDirectory(first.dir)} and ${describeDirectory(again.dir)} are both the service "${first.name}"`,
      hint: "a service is named after its directory: rename one of the two",
      related: [{ at: first.at, message: `the service "${first.name}" of ${describeDirectory(first.dir)}` }],
    }),
  );
}

function describeDirectory(dir: string): string {
  return dir === "" ? `"." (the root is named after the application)` : `"${dir}"`;
}

/** Reports handlers that would produce services of the same name: each handler that runs alone is a service. */
export function sharedServices(packages: readonly ParsedPackage[]): readonly Diagnostic[] {
  const firsts = new Map<string, Span>();
  for (const each of packages) {
    const { first, settings } = servicesIn(each);
    const named = settings ?? first;
    if (named) firsts.set(settings ? serviceName(each.name, settings.declaration) : each.name, named.declaration.at);
  }
  return packages.flatMap((each) =>
    servicesIn(each).alone.flatMap(({ declaration }): readonly Diagnostic[] => {
      const { at } = declaration;
      const service = serviceName(each.name, declaration);
      const earlier = firsts.get(service);
      if (!earlier) firsts.set(service, at);
      if (!earlier) return [];
      const hint = "a handler is a service named after its package and its variable: rename one of the two";
      const related = [{ at: earlier, message: "first declared here" }];
      return [{ code: "package", at, message: `the service "${service}" is declared twice`, hint, related }];
    }),
  );
}

const servicesIn = cachedByObject(({ reads }: ParsedPackage) => ({
  first: reads.find(isPlaced),
  settings: reads.find((read) => read.kind === "service"),
  alone: reads.filter(isAlone),
}));

function isPlaced(read: Parsed): read is Exclude<Parsed, Misplaced> {
  return read.kind !== "misplaced";
}

function isAlone(read: Parsed): read is Exclude<Parsed, Misplaced> {
  return isPlaced(read) && descriptionOf(read.kind).runs === "alone";
}
