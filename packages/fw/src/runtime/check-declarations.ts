import {
  endDeclaring,
  placeOf,
  takeDeclared,
  wordsOf,
  type DeclarationRecord,
} from "../declare/declaration-records.ts";
import type { MCPConfig } from "../declare/mcp.ts";
import { parseDuration } from "../lib/duration.ts";
import type { Bundle, BundledConsumer, BundledEndpoint } from "./bundle.ts";
import { usesBackground, usesMCP, usesTenants } from "./capabilities.ts";
import { otherSettings } from "./check-settings.ts";
import { separatorOf } from "./tenant/tenant-context.ts";

/** Thrown if the loaded application's declarations differ from its wiring. The message says what to do. */
export class DeclarationMismatch extends Error {
  constructor(message: string, declaration: DeclarationRecord) {
    super(message);
    this.name = "DeclarationMismatch";
    const place = placeOf(declaration);
    if (place !== "") this.stack = `${this.name}: ${message}\n${place}`;
  }
}

/**
 * Compares the loaded modules' declarations with the wiring, which was generated from the source. A declaration missing
 * from the wiring would silently do nothing, and one that differs would behave as in the source. `elsewhere` lists
 * other services' declarations in this service's code, such as `cron digest`. Throws a DeclarationMismatch.
 */
export function checkDeclared(bundle: Bundle, elsewhere: readonly string[] = []): void {
  const wired = declarationsOf(bundle);
  const others = [...elsewhere];
  const loaded = takeDeclared();
  const unknown = loaded.filter((each) => {
    if (wired.has(each) || isWiredByName(bundle, each)) return false;
    const other = others.indexOf(labelOf(each));
    if (other !== -1) others.splice(other, 1);
    return other === -1;
  });
  const [first] = unknown;
  if (first) throw new DeclarationMismatch(unknownDeclarations(unknown), first);
  for (const [declaration, difference] of differences(bundle)) throw new DeclarationMismatch(difference, declaration);
  for (const [declaration, setting] of otherSettings(bundle, wired, loaded))
    throw new DeclarationMismatch(differenceMessage(declaration, setting), declaration);
}

/** Ends the loading of the application. Later declarations are refused. */
export function endLoading(bundle: Bundle): void {
  endDeclaring((declaration) => isWiredByName(bundle, declaration));
}

function declarationsOf(bundle: Bundle): ReadonlySet<DeclarationRecord> {
  const wired = new Set<DeclarationRecord>();
  for (const part of Object.values(bundle) as readonly unknown[]) {
    if (!Array.isArray(part)) continue;
    for (const row of part as readonly { readonly declaration?: DeclarationRecord }[])
      if (row.declaration !== undefined) wired.add(row.declaration);
  }
  for (const { settings, site, status, errors } of bundle.packages)
    for (const each of [settings?.declaration, site?.declaration, status, errors])
      if (each !== undefined) wired.add(each);
  return wired;
}

/** True for declarations that the wiring lists only by name. Policies are compared with the routes that use them. */
function isWiredByName(
  { auth, authenticators = [], secrets = [], alerts = [], channels = [] }: Bundle,
  { kind, name = "" }: DeclarationRecord,
): boolean {
  switch (kind) {
    case "policy":
      return true;
    case "auth":
      return auth !== undefined;
    case "authenticator":
      // A service that never reads the user has authenticators without declarations.
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

/** Formats a declaration the way `fw build` lists declarations of other services. */
function labelOf({ kind, name, route }: DeclarationRecord): string {
  return [kind, route ?? name ?? ""].join(" ").trim();
}

function unknownDeclarations(unknown: readonly DeclarationRecord[]): string {
  const words = [...new Set(unknown.map(wordsOf))];
  const [names, pronoun] = words.length === 1 ? [words[0], "it"] : [words.join(", "), "them"];
  return `${names}: fw did not find ${pronoun} in the source, although the application declares ${pronoun} when it loads: declare ${pronoun} at the top level of a module, with functions imported from fw and called by their names`;
}

/** Yields declarations that differ from their rows, with a description of the difference. */
function* differences(bundle: Bundle): Iterable<readonly [DeclarationRecord, string]> {
  for (const row of bundle.endpoints) {
    const setting = differenceOf(row);
    if (setting !== undefined) yield [row.declaration, differenceMessage(row.declaration, setting)];
  }
  const { entities, buckets, destinations, crons, singletons, limits, feeds, mails, seeds, metrics } = bundle;
  for (const rows of [entities, buckets, destinations, crons, singletons, limits, feeds, mails, seeds, metrics]) {
    for (const { declaration, name } of rows ?? [])
      if (declaration.name !== name) yield [declaration, differenceMessage(declaration, "name")];
  }
  if (usesMCP) yield* toolDifferences(bundle);
  if (usesTenants) yield* tenantDifferences(bundle);
  if (usesBackground) yield* consumerDifferences(bundle);
}

function* toolDifferences({ mcpServers = [] }: Bundle): Iterable<readonly [DeclarationRecord, string]> {
  for (const { declaration, tools } of mcpServers) {
    const { tools: loaded = [] } = declaration.config as Partial<MCPConfig>;
    if (loaded.length !== tools.length || tools.some((tool, index) => tool.declaration !== loaded[index]))
      yield [declaration, differenceMessage(declaration, "list of tools")];
  }
}

function* consumerDifferences({ consumers = [] }: Bundle): Iterable<readonly [DeclarationRecord, string]> {
  for (const { declaration, source } of consumers) {
    if (sourceOf(declaration) === `${source.kind}:${source.name}`) continue;
    yield [declaration, differenceMessage(declaration, "source of messages")];
  }
}

/** Yields tenants whose names differ from the source, and entities whose tenants differ. */
function* tenantDifferences({ tenants = [], entities = [] }: Bundle): Iterable<readonly [DeclarationRecord, string]> {
  for (const { declaration, name } of tenants)
    if (declaration.name !== name) yield [declaration, differenceMessage(declaration, "name")];
  for (const { declaration, tenant } of entities)
    if (separatorOf(declaration)?.name !== tenant) yield [declaration, differenceMessage(declaration, "tenant")];
}

function sourceOf(declaration: BundledConsumer["declaration"]): string {
  if (declaration.kind === "worker") return `queue:${declaration.queue.name}`;
  return declaration.kind === "runner" ? `job:${declaration.job.name}` : declaration.source.source;
}

function differenceMessage(declaration: DeclarationRecord, what: string): string {
  return `${wordsOf(declaration)} has a different ${what} when the application loads than in the source: write it as a literal or a constant that nothing changes`;
}

/** Returns the name of an endpoint setting that differs from the wiring; undefined if none does. */
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
