import type { Declared } from "../declare/declared.ts";
import type { WrittenSetting, WrittenSettings } from "../lib/written-settings.ts";
import type { Bundle } from "./bundle.ts";

/**
 * Declarations with a setting of theirs that is another one than in the source: schedules, zones, how messages are delivered, and
 * whatever else a literal says. `known` are those of the bundle's rows, `loaded` those that were declared just now.
 */
export function* otherSettings(
  { written, endpoints, remotes = [] }: Bundle,
  known: ReadonlySet<Declared>,
  loaded: readonly Declared[],
): Iterable<readonly [declaration: Declared, setting: string]> {
  if (written === undefined) return;
  const expected = new Map(written.declarations);
  const policies = endpoints.flatMap(({ allow }) => allow?.declaration ?? []);
  // An endpoint of another service is that one's to compare.
  const others = new Set<Declared>(remotes.map(({ declaration }) => declaration));
  for (const declaration of new Set([...known, ...policies])) {
    if (others.has(declaration)) continue;
    const setting = differenceOf(expected.get(declaration) ?? {}, settingsOf(declaration));
    if (setting !== undefined) yield [declaration, setting];
  }
  for (const declaration of loaded) {
    const said = byName.has(declaration.kind) ? settingsOf(declaration) : {};
    const candidates = written.named.filter(
      ([label]) => label === `${declaration.kind} ${declaration.name ?? ""}`.trim(),
    );
    const differences = candidates.map(([, settings]) => differenceOf(settings, said));
    const [first] = differences;
    if (first !== undefined && Object.keys(said).length > 0 && !differences.includes(undefined))
      yield [declaration, first];
  }
}

/** Kinds that the wiring knows by their names. A service goes without the settings of the latter two. */
const byName: ReadonlySet<string> = new Set(["auth", "channel", "alert"]);

/** Settings that the rows of endpoints have, and are compared there. */
const inRows: ReadonlySet<string> = new Set(["allow", "signIn", "private", "maxAge"]);

/** What a record says besides its name and its route. */
function settingsOf(declaration: Declared): WrittenSettings {
  const { kind, schedule, dir, roles, config, delivery } = declaration as unknown as Readonly<Record<string, unknown>>;
  const said = plain({ schedule, dir, roles, ...(config as object), ...(delivery as object) }) as WrittenSettings;
  if (kind !== "api" && kind !== "page" && kind !== "mount" && kind !== "socket") return said;
  return Object.fromEntries(Object.entries(said).filter(([name]) => !inRows.has(name)));
}

/** What a value has of constants; a declaration is named, and code is nothing. */
function plain(value: unknown): WrittenSetting | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return value.flatMap((each) => plain(each) ?? []);
  const { kind, name, constants } = value as Readonly<Record<string, unknown>>;
  if (kind === "condition") return plain(constants);
  if (kind !== undefined) return plain(name);
  const entries = Object.entries(value).map(([key, each]) => [key, plain(each)] as const);
  return Object.fromEntries(entries.flatMap(([key, each]) => (each === undefined ? [] : [[key, each]])));
}

/** The first setting that only one of both has, or that both have another of. */
function differenceOf(written: WrittenSettings, said: WrittenSettings): string | undefined {
  const names = [...new Set([...Object.keys(written), ...Object.keys(said)])];
  return names.find((name) => !isSame(written[name], said[name]));
}

function isSame(one: WrittenSetting | undefined, other: WrittenSetting | undefined): boolean {
  if (typeof one !== "object" || typeof other !== "object") return one === other;
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  const [left, right] = [one as WrittenSettings, other as WrittenSettings];
  return keys.length === others.length && keys.every((key) => isSame(left[key], right[key]));
}
