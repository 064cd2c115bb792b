import { endDeclaring, placeOf, takeDeclared, wordsOf, type Declared } from "../declare/declared.ts";
import { parseDuration } from "../lib/duration.ts";
import type { Bundle, BundledConsumer, BundledEndpoint } from "./bundle.ts";
import { otherSettings } from "./other-settings.ts";

/** An application that declares something else than its wiring says. Its message says what to do. */
export class WronglyWired extends Error {
  constructor(message: string, declaration: Declared) {
    super(message);
    this.name = "WronglyWired";
    const place = placeOf(declaration);
    if (place !== "") this.stack = `${this.name}: ${message}\n${place}`;
  }
}

/**
 * Compares what an application's modules declared as they loaded with what its wiring knows, which comes of the source. What is not
 * known would be missing without a word, and what is known as something else would be it. `elsewhere` are declarations of other
 * services that code of this one names: `cron digest`. Throws a WronglyWired.
 */
export function checkDeclared(bundle: Bundle, elsewhere: readonly string[] = []): void {
  const known = declarationsOf(bundle);
  const others = [...elsewhere];
  const loaded = takeDeclared();
  const unknown = loaded.filter((each) => {
    if (known.has(each) || isKnownByName(bundle, each)) return false;
    const other = others.indexOf(labelOf(each));
    if (other !== -1) others.splice(other, 1);
    return other === -1;
  });
  const [first] = unknown;
  if (first) throw new WronglyWired(unknownText(unknown), first);
  for (const [declaration, difference] of differences(bundle)) throw new WronglyWired(difference, declaration);
  for (const [declaration, setting] of otherSettings(bundle, known, loaded))
    throw new WronglyWired(differs(declaration, `has another ${setting}`), declaration);
}

/** The application has loaded: what is declared later is refused. */
export function endLoading(bundle: Bundle): void {
  endDeclaring((declaration) => isKnownByName(bundle, declaration));
}

/** What the wiring has of the application's modules. */
function declarationsOf(bundle: Bundle): ReadonlySet<Declared> {
  const known = new Set<Declared>();
  for (const part of Object.values(bundle) as readonly unknown[]) {
    if (!Array.isArray(part)) continue;
    for (const row of part as readonly { readonly declaration?: Declared }[])
      if (row.declaration !== undefined) known.add(row.declaration);
  }
  for (const { settings, site, status } of bundle.packages)
    for (const each of [settings?.declaration, site?.declaration, status]) if (each !== undefined) known.add(each);
  return known;
}

/** Kinds that the wiring knows by their names; a policy counts where a route has it, which is compared there. */
function isKnownByName(
  { auth, authenticators = [], secrets = [], alerts = [], channels = [] }: Bundle,
  { kind, name = "" }: Declared,
): boolean {
  switch (kind) {
    case "policy":
      return true;
    case "auth":
      return auth !== undefined;
    case "authenticator":
      // A service that asks nobody who they are has rows without the declarations.
      return authenticators.some(({ declaration }) => declaration === undefined);
    case "role":
      return auth === undefined || auth.roles.includes(name);
    case "secret":
      return secrets.includes(name);
    case "alert":
      return alerts.some((each) => each.name === name);
    case "channel":
      return channels.includes(name);
    default:
      return false;
  }
}

/** A declaration by its kind and its name, as builds list those of other services. */
function labelOf({ kind, name, route }: Declared): string {
  return [kind, route ?? name ?? ""].join(" ").trim();
}

function unknownText(unknown: readonly Declared[]): string {
  const words = [...new Set(unknown.map(wordsOf))];
  const [what, it] = words.length === 1 ? [words[0], "it"] : [words.join(", "), "them"];
  return `${what}: the application declares ${it} when it loads, and fw has not found ${it} in the source; declare ${it} at the top level of a module, with functions that are imported from fw and called by their names`;
}

/** Declarations that are another than their row says, with what to say of each. */
function* differences(bundle: Bundle): Iterable<readonly [Declared, string]> {
  for (const row of bundle.endpoints) {
    const what = differenceOf(row);
    if (what !== undefined) yield [row.declaration, differs(row.declaration, `has another ${what}`)];
  }
  const { entities, buckets, destinations, crons, singletons, metrics } = bundle;
  for (const rows of [entities, buckets, destinations, crons, singletons, metrics]) {
    for (const { declaration, name } of rows ?? [])
      if (declaration.name !== name) yield [declaration, differs(declaration, `is ${JSON.stringify(name)}`)];
  }
  for (const { declaration, source } of bundle.consumers ?? []) {
    if (sourceOf(declaration) === `${source.kind}:${source.name}`) continue;
    yield [declaration, differs(declaration, `gets messages of ${JSON.stringify(source.name)}`)];
  }
}

/** What a consumer gets messages of, as destinations are named. */
function sourceOf(declaration: BundledConsumer["declaration"]): string {
  if (declaration.kind === "worker") return `queue:${declaration.queue.name}`;
  return declaration.kind === "runner" ? `job:${declaration.job.name}` : declaration.source.source;
}

function differs(declaration: Declared, how: string): string {
  return `${wordsOf(declaration)} ${how} in the source than when the application loads: write it as a literal, or as a constant that nothing changes`;
}

/** The setting that an endpoint's code has another of than its wiring. */
function differenceOf({
  declaration,
  route,
  allow,
  signIn,
  private: isPrivate,
  maxAge,
}: BundledEndpoint): string | undefined {
  const { config } = declaration;
  if (declaration.route !== route) return "route";
  if (config.allow !== allow?.declaration) return "policy";
  if ((config.signIn === true || config.allow !== undefined) !== signIn) return "signIn";
  if ((config.private === true) !== isPrivate) return "private";
  return maxAgeOf(config.maxAge) === maxAge ? undefined : "maxAge";
}

function maxAgeOf(duration: unknown): number {
  return typeof duration === "string" ? Math.floor((parseDuration(duration) ?? 0) / 1_000) : 0;
}
