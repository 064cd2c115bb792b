import type { Diagnostic } from "../../model/diagnostic.ts";
import type { AppRead, Read } from "../readers/read.ts";
import type { Finding } from "../rule.ts";
import { rules } from "./index.ts";

/** Findings of the rules that look at one declaration, for as long as its read lives. */
const findings = new WeakMap<Read, readonly Diagnostic[]>();

/** What the rules say about an application, in source order, each finding once. */
export function check(app: AppRead): readonly Diagnostic[] {
  const found = app.packages.flatMap(({ reads }) => reads.flatMap(checkDeclaration));
  for (const { id, package: checkPackage, app: checkApp } of rules) {
    for (const read of app.packages) for (const finding of checkPackage?.(read) ?? []) found.push(coded(id, finding));
    for (const finding of checkApp?.(app) ?? []) found.push(coded(id, finding));
  }
  return unique(found).toSorted(bySource);
}

function checkDeclaration(read: Read): readonly Diagnostic[] {
  const known = findings.get(read);
  if (known) return known;
  const all = rules.flatMap(({ id, declaration }) =>
    Array.from(declaration?.(read) ?? [], (finding) => ({ id, finding })),
  );
  const causes = all.filter(({ finding }) => finding.consequence !== true);
  const found = (causes.length > 0 ? causes : all).map(({ id, finding }) => coded(id, finding));
  findings.set(read, found);
  return found;
}

function coded(id: string, { at, message, hint, related }: Finding): Diagnostic {
  const more = related ? { related } : {};
  return { code: `fw/${id}`, at, message, ...(hint === undefined ? more : { hint, ...more }) };
}

/** A type that two endpoints share is wrong once. */
function unique(found: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Map<string, Diagnostic>();
  for (const each of found) {
    const { path, line, column } = each.at;
    const key = `${each.code} ${path}:${line}:${column} ${each.message}`;
    if (!seen.has(key)) seen.set(key, each);
  }
  return [...seen.values()];
}

function bySource({ at: a }: Diagnostic, { at: b }: Diagnostic): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
