import type { Diagnostic, Span } from "../../model/diagnostic.ts";
import type { ParsedPackage } from "./parsed.ts";

/** Directories that would be services of one name. */
export function sharedNames(packages: readonly ParsedPackage[]): readonly Diagnostic[] {
  const firsts = new Map<string, { readonly dir: string; readonly at: Span }>();
  return packages.flatMap(({ name, dir, reads }) => {
    const placed = reads.find((read) => "declaration" in read);
    if (!placed) return [];
    const { at } = placed.declaration;
    const first = firsts.get(name);
    if (!first) firsts.set(name, { dir, at });
    return first ? shared(name, first, { dir, at }) : [];
  });
}

function shared(
  name: string,
  first: { readonly dir: string; readonly at: Span },
  second: { readonly dir: string; readonly at: Span },
): Diagnostic {
  return {
    code: "package",
    at: second.at,
    message: `the directories ${written(first.dir)} and ${written(second.dir)} are both the service "${name}"`,
    hint: "a service is named for its directory: give one of the two another name",
    related: [{ at: first.at, message: `the service "${name}" of ${written(first.dir)}` }],
  };
}

function written(dir: string): string {
  return dir === "" ? `"." (the root is named for the application)` : `"${dir}"`;
}
