import type { WrittenSetting, WrittenSettings } from "../../lib/written-settings.ts";
import type { ParsedCondition } from "./condition.ts";
import type { Located } from "./declaration-syntax.ts";
import type { Parsed } from "./parsed.ts";
import { isSeparable, separationSettings } from "./separation.ts";

/** Extracts the settings written in the source, under the names that the run-time record uses. */
export function writtenSettings(read: Parsed): WrittenSettings {
  const settings = settingsOf(read);
  return isSeparable(read) ? { ...settings, ...separationSettings(read) } : settings;
}

function settingsOf(read: Parsed): WrittenSettings {
  switch (read.kind) {
    case "misplaced":
    case "status":
    case "errors":
      return {};
    case "cron":
      return { ...plainSettings({ schedule: read.schedule }), ...plainSettings(read.config.settings) };
    case "limit":
      return plainSettings({ rate: read.rate });
    case "site": {
      const { redirects, ...others } = read.config.settings;
      const redirectTable = redirects?.value && Object.fromEntries(redirects.value.map(({ from, to }) => [from, to]));
      return {
        ...plainSettings({ dir: read.text }),
        ...plainSettings(others),
        ...(redirectTable && { redirects: redirectTable }),
      };
    }
    case "policy":
      if (read.member) return { memberRoles: read.member.roles.flatMap(({ value }) => value ?? []) };
      return read.required ? { roles: read.required.roles.flatMap(({ value }) => value?.name ?? []) } : {};
    case "channel": {
      const { email, webhook } = read.config.settings;
      return {
        ...plainSettings({ email }),
        ...(webhook?.value?.name !== undefined && { webhook: webhook.value.name }),
      };
    }
    case "alert": {
      const { if: condition, notify, ...others } = read.config.settings;
      const names = (notify?.value ?? []).flatMap(({ value }) => value?.name ?? []);
      return { ...plainSettings(others), notify: names, ...(condition?.value && { if: conditionOf(condition.value) }) };
    }
    default:
      return "config" in read && !isSeparable(read) ? plainSettings(read.config.settings) : {};
  }
}

/** Returns the constants of a condition. Its subjects are declarations, not constants. */
function conditionOf(condition: ParsedCondition): WrittenSettings {
  if (condition.kind === "none") return {};
  const { kind, comparison, second } = condition;
  const quantile = kind === "percentile" ? second?.constant : undefined;
  return {
    measure: kind,
    ...(comparison && { by: comparison.by, ...plainSettings({ threshold: comparison.threshold }) }),
    ...plainSettings({ quantile }),
  };
}

type Settings = Readonly<Record<string, Located<unknown> | undefined>>;

/** Returns the constants among settings. Drops references to declarations, which are not constants. */
function plainSettings(settings: Settings): WrittenSettings {
  const values = Object.entries(settings).map(([name, setting]) => [name, plainSetting(setting?.value)] as const);
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function plainSetting(value: unknown): WrittenSetting | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.flatMap((item) => plainSetting(item) ?? []);
  if (typeof value !== "object" || value === null || "kind" in value || "reference" in value) return undefined;
  if ("at" in value && "value" in value) return plainSetting(value.value);
  return plainSettings(value as Settings);
}
