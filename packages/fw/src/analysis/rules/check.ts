import { inSourceOrder } from "../../model/diagnostic.ts";
import type { ParsedApp, ParsedPackage, Parsed } from "../readers/parsed.ts";
import type { Finding, CodedFinding } from "../rule.ts";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import { isSameList } from "../../lib/same-items.ts";
import { rules } from "./index.ts";

/** Caches findings about each package and its declarations, by the package's first declaration. */
const packageFindings = new WeakMap<
  Parsed,
  { readonly read: ParsedPackage; readonly found: readonly CodedFinding[] }
>();

/** Runs all rules on an application. Returns findings in source order, without duplicates. */
export function check(app: ParsedApp): readonly CodedFinding[] {
  const findingsOfApp = app.packages.flatMap(checkPackage);
  for (const { id, app: checkApp, isWarning } of rules) {
    for (const finding of checkApp?.(app) ?? []) findingsOfApp.push(withCode(id, finding, isWarning));
  }
  return unique(findingsOfApp).toSorted((a, b) => inSourceOrder(a.at, b.at));
}

function checkPackage(read: ParsedPackage): readonly CodedFinding[] {
  const [first] = read.reads;
  const cached = first && packageFindings.get(first);
  if (cached && isSame(cached.read, read)) return cached.found;
  const findingsOfPackage = [
    ...read.reads.flatMap(checkDeclaration),
    ...rules.flatMap((rule) => Array.from(rule.package?.(read) ?? [], (finding) => withCode(rule.id, finding))),
  ];
  if (first) packageFindings.set(first, { read, found: findingsOfPackage });
  return findingsOfPackage;
}

function isSame(one: ParsedPackage, other: ParsedPackage): boolean {
  return isSameList(one.reads, other.reads) && one.name === other.name && one.dir === other.dir;
}

/** Runs the rules for single declarations. Drops consequences if a declaration has other problems. */
export const checkDeclaration: (read: Parsed) => readonly CodedFinding[] = cachedByObject((read) => {
  const all: { readonly id: string; readonly finding: Finding }[] = [];
  for (const { id, declaration } of rules) {
    for (const finding of declaration?.(read) ?? []) all.push({ id, finding });
  }
  const causes = all.filter(({ finding }) => finding.consequence !== true);
  return (causes.length > 0 ? causes : all).map(({ id, finding }) => withCode(id, finding));
});

function withCode(id: string, { at, message, hint, related, fix }: Finding, isWarning?: true): CodedFinding {
  const more = {
    ...(isWarning && { severity: "warning" as const }),
    ...(related ? { related } : {}),
    ...(fix ? { fix } : {}),
  };
  return { code: `fw/${id}`, at, message, ...(hint === undefined ? more : { hint, ...more }) };
}

/** Drops duplicates, such as findings about a type that two endpoints share. */
function unique(all: readonly CodedFinding[]): CodedFinding[] {
  const byKey = new Map<string, CodedFinding>();
  for (const finding of all) {
    const { path, line, column } = finding.at;
    const key = `${finding.code} ${path}:${line}:${column} ${finding.message}`;
    if (!byKey.has(key)) byKey.set(key, finding);
  }
  return [...byKey.values()];
}
