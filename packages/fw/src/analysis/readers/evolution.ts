import type { Evolving } from "../../model/evolution.ts";
import type { Separated } from "../../model/tenant.ts";
import type { DeclarationSource } from "./declaration-reader.ts";
import { readConfig, type SettingReader, type SettingsOf } from "./config.ts";
import type { ConfigRead } from "./declaration-syntax.ts";
import { readObject } from "./object.ts";
import { constant } from "./setting-readers.ts";
import { spanIn } from "./source.ts";
import { tenancy, tenantsOf, type ParsedTenancy } from "./tenant.ts";

interface Settings {
  readonly [setting: string]: SettingReader<unknown>;
  readonly renamed: SettingReader<Readonly<Record<string, string>>>;
  readonly upgrade: SettingReader<readonly string[]>;
  readonly tenant: SettingReader<ParsedTenancy>;
}

/** The names of an object literal's fields; their values are code. */
const fieldNames: SettingReader<readonly string[]> = (source, _name, node) => {
  const { fields, faults } = readObject(source, node);
  return { reading: { at: spanIn(source, node), value: [...fields.keys()].toSorted() }, faults };
};

const settings: Settings = {
  renamed: constant(isTextMap, "an object of old field names by field"),
  upgrade: fieldNames,
  tenant: tenancy,
};

/** A job belongs to no tenant: its runner chooses one. */
const { tenant: _, ...jobSettings } = settings;

/** The second argument of `Entity`, `Queue`, `Topic` and `Job`: rules for older data. */
export interface ParsedEvolution {
  /** Without settings: only the names of fields are constants, and their values are code. */
  readonly config: ConfigRead<Readonly<Record<string, never>>>;
  readonly rules: SettingsOf<Settings>;
}

export function readEvolution(source: DeclarationSource): ParsedEvolution {
  const table: Settings | typeof jobSettings = source.name === "Job" ? jobSettings : settings;
  const { settings: rules, ...config } = readConfig(source, 1, table);
  return { config: { ...config, settings: {} }, rules };
}

export function evolutionModel({ rules }: ParsedEvolution): Evolving & Separated {
  const renamed = rules.renamed?.value ?? {};
  const upgraded = rules.upgrade?.value ?? [];
  const tenant = tenantsOf(rules.tenant);
  return {
    ...(Object.keys(renamed).length + upgraded.length > 0 && { evolution: { renamed, upgraded } }),
    ...(tenant !== undefined && { tenant }),
  };
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === "string")
  );
}
