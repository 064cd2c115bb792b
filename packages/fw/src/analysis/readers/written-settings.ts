import type { WrittenSetting, WrittenSettings } from "../../lib/written-settings.ts";
import type { ParsedCondition } from "./condition.ts";
import type { Located } from "./declaration-syntax.ts";
import type { Parsed } from "./parsed.ts";

/** The settings of a declaration, by the names that its record has them under when the application runs. */
export function writtenSettings(read: Parsed): WrittenSettings {
  switch (read.kind) {
    case "misplaced":
    case "status":
      return {};
    case "cron":
      return { ...located({ schedule: read.schedule }), ...located(read.config.settings) };
    case "site": {
      const { redirects, ...others } = read.config.settings;
      const moved = redirects?.value && Object.fromEntries(redirects.value.map(({ from, to }) => [from, to]));
      return { ...located({ dir: read.text }), ...located(others), ...(moved && { redirects: moved }) };
    }
    case "policy":
      return read.required ? { roles: read.required.roles.flatMap(({ value }) => value?.name ?? []) } : {};
    case "channel": {
      const { email, webhook } = read.config.settings;
      return { ...located({ email }), ...named("webhook", webhook?.value?.name) };
    }
    case "alert": {
      const { if: condition, notify, ...others } = read.config.settings;
      const names = (notify?.value ?? []).flatMap(({ value }) => value?.name ?? []);
      return { ...located(others), notify: names, ...(condition?.value && { if: conditionOf(condition.value) }) };
    }
    default:
      return "config" in read ? located(read.config.settings) : {};
  }
}

/** What a condition compares with; what it looks at are declarations, which have no constants here. */
function conditionOf(condition: ParsedCondition): WrittenSettings {
  if (condition.kind === "none") return {};
  const { kind, comparison, second } = condition;
  const quantile = kind === "percentile" ? second?.constant : undefined;
  return {
    measure: kind,
    ...(comparison && { by: comparison.by, ...located({ threshold: comparison.threshold }) }),
    ...located({ quantile }),
  };
}

function named(setting: string, name: string | undefined): WrittenSettings {
  return name === undefined ? {} : { [setting]: name };
}

type Settings = Readonly<Record<string, Located<unknown> | undefined>>;

/** A reference to a declaration is no constant, and is left out. */
function located(settings: Settings): WrittenSettings {
  const values = Object.entries(settings).map(([name, setting]) => [name, written(setting?.value)] as const);
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function written(value: unknown): WrittenSetting | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.flatMap((item) => written(item) ?? []);
  if (typeof value !== "object" || value === null || "kind" in value) return undefined;
  return located(value as Settings);
}
