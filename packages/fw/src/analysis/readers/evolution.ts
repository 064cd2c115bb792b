import { isObject } from "../../lib/record-in.ts";
import type { Destination } from "../../model/background.ts";
import type { OnDelete } from "../../model/entity.ts";
import type { Evolving } from "../../model/evolution.ts";
import type { Separated } from "../../model/tenant.ts";
import type { DeclarationSource } from "./declaration-reader.ts";
import { readConfig, type SettingReader, type SettingsOf } from "./config.ts";
import type { ConfigRead } from "./declaration-syntax.ts";
import { readObject } from "./object.ts";
import { constant } from "./setting-readers.ts";
import { isDurationBetween, millisecondsIn, spanIn } from "./source.ts";
import { separatedModel, tenancy, type ParsedTenancy } from "./tenant.ts";

interface Settings {
  readonly [setting: string]: SettingReader<unknown>;
  readonly renamed: SettingReader<Readonly<Record<string, string>>>;
  readonly upgrade: SettingReader<readonly string[]>;
  readonly tenant: SettingReader<ParsedTenancy>;
}

interface EntitySettings extends Settings {
  readonly onDelete: SettingReader<Readonly<Record<string, OnDelete>>>;
}

/** Reads the field names of an object literal; the values are code. */
const fieldNames: SettingReader<readonly string[]> = (source, _name, node) => {
  const { fields, faults } = readObject(source, node);
  return { reading: { at: spanIn(source, node), value: [...fields.keys()].toSorted() }, faults };
};

const settings: Settings = {
  renamed: constant(isTextMap, "an object of old field names by field"),
  upgrade: fieldNames,
  tenant: tenancy,
};

const entitySettings: EntitySettings = {
  ...settings,
  onDelete: constant(isOnDelete, 'an object of "refuse", "cascade" or "clear" by field'),
};

type JobSettings = Pick<Settings, "renamed" | "upgrade" | "tenant"> & { readonly history: SettingReader<string> };

/** Limit: the shortest retention of a job's runs after their end, in milliseconds. */
const shortestHistoryMs = 86_400_000;

/** Limit: the longest retention of a job's runs after their end, in milliseconds. */
const longestHistoryMs = 366 * 86_400_000;

const jobSettings: JobSettings = {
  renamed: settings.renamed,
  upgrade: settings.upgrade,
  tenant: settings.tenant,
  history: constant(isHistory, 'a duration from 1 to 366 days, such as "30d"'),
};

/**
 * The second argument of `Entity`, `Queue`, `Topic` and `Job`: rules for older data, references, tenants and the
 * history of a job.
 */
export interface ParsedEvolution {
  /** The faults of the argument; its settings are in `rules`. */
  readonly config: ConfigRead<Readonly<Record<string, never>>>;
  readonly rules: SettingsOf<EntitySettings & JobSettings>;
}

export function readEvolution(source: DeclarationSource): ParsedEvolution {
  const { settings: rules, ...config } = readRules(source);
  return { config: { ...config, settings: {} }, rules };
}

function readRules(source: DeclarationSource): ConfigRead<ParsedEvolution["rules"]> {
  if (source.name === "Job") return readConfig(source, 1, jobSettings);
  return source.name === "Entity" ? readConfig(source, 1, entitySettings) : readConfig(source, 1, settings);
}

export function evolutionModel({ rules }: ParsedEvolution): Evolving & Separated {
  const renamed = rules.renamed?.value ?? {};
  const upgraded = rules.upgrade?.value ?? [];
  return {
    ...(Object.keys(renamed).length + upgraded.length > 0 && { evolution: { renamed, upgraded } }),
    ...separatedModel(rules.tenant),
  };
}

/** Returns how long a job's runs are retained, in milliseconds; empty if they are not recorded. */
export function historyModel({ rules }: ParsedEvolution): Pick<Destination, "history"> {
  const history = millisecondsIn(rules.history);
  return history === undefined ? {} : { history };
}

function isHistory(value: unknown): value is string {
  return isDurationBetween(value, shortestHistoryMs, longestHistoryMs);
}

function isOnDelete(value: unknown): value is Readonly<Record<string, OnDelete>> {
  return isTextMap(value) && Object.values(value).every((each) => ["refuse", "cascade", "clear"].includes(each));
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((each) => typeof each === "string");
}
