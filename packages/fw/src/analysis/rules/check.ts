import { inSourceOrder } from "../../model/diagnostic.ts";
import type { ParsedApp, ParsedPackage, Parsed } from "../readers/parsed.ts";
import type { Finding, Judged } from "../rule.ts";
import { isSameList } from "../../lib/same-items.ts";
import { rules } from "./index.ts";

/** Findings of the rules that look at one declaration, for as long as its read lives. */
const findings = new WeakMap<Parsed, readonly Judged[]>();

/** Findings about whole packages, by the first declaration of each. */
const packageFindings = new WeakMap<Parsed, { readonly read: ParsedPackage; readonly found: readonly Judged[] }>();

/** What the rules say about an application, in source order, each finding once. */
export function check(app: ParsedApp): readonly Judged[] {
  const found = app.packages.flatMap((read) => [...read.reads.flatMap(checkDeclaration), ...checkPackage(read)]);
  for (const { id, app: checkApp } of rules) {
    for (const finding of checkApp?.(app) ?? []) found.push(coded(id, finding));
  }
  return unique(found).toSorted((a, b) => inSourceOrder(a.at, b.at));
}

function checkPackage(read: ParsedPackage): readonly Judged[] {
  const [first] = read.reads;
  const known = first && packageFindings.get(first);
  if (known && isSame(known.read, read)) return known.found;
  const found = rules.flatMap((rule) => Array.from(rule.package?.(read) ?? [], (finding) => coded(rule.id, finding)));
  if (first) packageFindings.set(first, { read, found });
  return found;
}

function isSame(one: ParsedPackage, other: ParsedPackage): boolean {
  return isSameList(one.reads, other.reads) && one.name === other.name && one.dir === other.dir;
}

/** What the rules that look at one declaration say about it. */
export function checkDeclaration(read: Parsed): readonly Judged[] {
  const known = findings.get(read);
  if (known) return known;
  const all: { readonly id: string; readonly finding: Finding }[] = [];
  for (const { id, declaration } of rules) {
    for (const finding of declaration?.(read) ?? []) all.push({ id, finding });
  }
  const causes = all.filter(({ finding }) => finding.consequence !== true);
  const found = (causes.length > 0 ? causes : all).map(({ id, finding }) => coded(id, finding));
  findings.set(read, found);
  return found;
}

function coded(id: string, { at, message, hint, related, fix }: Finding): Judged {
  const more = { ...(related ? { related } : {}), ...(fix ? { fix } : {}) };
  return { code: `fw/${id}`, at, message, ...(hint === undefined ? more : { hint, ...more }) };
}

/** A type that two endpoints share is wrong once. */
function unique(found: readonly Judged[]): Judged[] {
  const seen = new Map<string, Judged>();
  for (const finding of found) {
    const { path, line, column } = finding.at;
    const key = `${finding.code} ${path}:${line}:${column} ${finding.message}`;
    if (!seen.has(key)) seen.set(key, finding);
  }
  return [...seen.values()];
}
