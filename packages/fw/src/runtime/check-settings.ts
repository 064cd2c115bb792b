import type { DeclarationRecord } from "../declare/declaration-records.ts";
import type { WrittenSetting, WrittenSettings } from "../lib/written-settings.ts";
import type { Bundle } from "./bundle.ts";
import { usesTenants } from "./capabilities.ts";
import { separatorOf } from "./tenant/tenant-context.ts";

/**
 * Yields declarations with a setting that differs from the source: schedules, time zones, delivery policies and other
 * literals. `wired` are the declarations in the bundle's rows, and `loaded` all that the modules declare.
 */
export function* otherSettings(
  { written, endpoints, remotes = [] }: Bundle,
  wired: ReadonlySet<DeclarationRecord>,
  loaded: readonly DeclarationRecord[],
): Iterable<readonly [declaration: DeclarationRecord, setting: string]> {
  if (written === undefined) return;
  const expected = new Map(written.declarations);
  const policies = endpoints.flatMap(({ allow }) => allow?.declaration ?? []);
  // Each service compares its own endpoints.
  const others = new Set<DeclarationRecord>(remotes.map(({ declaration }) => declaration));
  for (const declaration of new Set([...wired, ...policies])) {
    if (others.has(declaration)) continue;
    const setting = differenceOf(expected.get(declaration) ?? {}, loadedSettings(declaration));
    if (setting !== undefined) yield [declaration, setting];
  }
  yield* otherByLabel(written.byLabel, loaded);
}

/** Yields the declarations of `kindsByName` that differ from all entries with their label in the source. */
function* otherByLabel(
  byLabel: NonNullable<Bundle["written"]>["byLabel"],
  loaded: readonly DeclarationRecord[],
): Iterable<readonly [declaration: DeclarationRecord, setting: string]> {
  for (const declaration of loaded) {
    const settings = kindsByName.has(declaration.kind) ? loadedSettings(declaration) : {};
    const candidates = byLabel.filter(([label]) => label === `${declaration.kind} ${declaration.name ?? ""}`.trim());
    const differences = candidates.map(([, expectedSettings]) => differenceOf(expectedSettings, settings));
    const [first] = differences;
    if (first !== undefined && Object.keys(settings).length > 0 && !differences.includes(undefined))
      yield [declaration, first];
  }
}

/**
 * Kinds whose settings are compared by label, because the wiring lists them only by name. A service may lack the
 * settings of channels and alerts.
 */
const kindsByName: ReadonlySet<string> = new Set(["auth", "channel", "alert"]);

/** Settings of an endpoint that are compared with its row instead. */
const inRows: ReadonlySet<string> = new Set(["allow", "signIn", "private", "maxAge"]);

/**
 * Returns the constants in a declaration's settings, except its name, its route and the settings compared with its row.
 */
function loadedSettings(declaration: DeclarationRecord): WrittenSettings {
  const { route, schedule, rate, dir, roles, config, delivery } = declaration as unknown as Readonly<
    Record<string, unknown>
  >;
  const settings = {
    schedule,
    rate,
    dir,
    roles,
    ...(usesTenants && settingsOfTenants(declaration)),
    ...(config as object),
    ...(delivery as object),
  };
  return constantsIn(settings, route !== undefined);
}

/** Returns the roles of a RequireMember, and the Tenant that separates the data of a declaration. */
function settingsOfTenants(declaration: DeclarationRecord): Readonly<Record<string, unknown>> {
  const { memberRoles } = declaration as { readonly memberRoles?: unknown };
  return { memberRoles, tenant: declaration.kind === "policy" ? undefined : separatorOf(declaration) };
}

/** Reduces a value to its constants: a declaration becomes its name; functions, null and undefined become undefined. */
function constantsOf(value: unknown): WrittenSetting | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return value.flatMap((each) => constantsOf(each) ?? []);
  const { kind, name, constants } = value as Readonly<Record<string, unknown>>;
  if (kind === "condition") return constantsOf(constants);
  if (kind !== undefined) return constantsOf(name);
  return constantsIn(value);
}

/**
 * Reduces an object to its constants. If `hasRow` is set, omits settings that the row contains. Uses a loop because it
 * runs for every declaration of an application after each save.
 */
function constantsIn(object: object, hasRow = false): WrittenSettings {
  const members = object as Readonly<Record<string, unknown>>;
  const constants: Record<string, WrittenSetting> = {};
  for (const key in members) {
    const constant = hasRow && inRows.has(key) ? undefined : constantsOf(members[key]);
    if (constant !== undefined) constants[key] = constant;
  }
  return constants;
}

/** Returns the first setting that differs or is missing on one side. */
function differenceOf(written: WrittenSettings, loaded: WrittenSettings): string | undefined {
  return Object.keys({ ...written, ...loaded }).find((name) => !isSame(written[name], loaded[name]));
}

function isSame(one: WrittenSetting | undefined, other: WrittenSetting | undefined): boolean {
  if (typeof one !== "object" || typeof other !== "object") return one === other;
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  const [left, right] = [one as WrittenSettings, other as WrittenSettings];
  return keys.length === others.length && keys.every((key) => isSame(left[key], right[key]));
}
