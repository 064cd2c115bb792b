import type { ServiceDeclaration } from "../../model/app.ts";
import type { Declared } from "../../model/declaration-ref.ts";
import { readConfig, type SettingReader, type SettingsOf } from "./config.ts";
import type { Kind } from "./kind.ts";
import type { ConfigRead } from "./declaration-syntax.ts";
import { pinsModel, scaling, type ScalingSettings } from "./scaling.ts";
import { anyConstant, flag, text } from "./setting-readers.ts";

type Settings = ScalingSettings & {
  readonly domain: SettingReader<string>;
  /** Whatever constant stands there: a rule says what it must be. */
  readonly origins: SettingReader<unknown>;
  readonly credentials: SettingReader<boolean>;
};

const settings: Settings = { domain: text, origins: anyConstant, credentials: flag, ...scaling };

export interface ParsedService extends Declared<"service"> {
  readonly config: ConfigRead<SettingsOf<Settings>>;
}

/** `Service(config)`. */
export const service: Kind<ParsedService, ServiceDeclaration> = {
  read: (source) => ({ config: readConfig(source, 0, settings) }),
  model({ config }) {
    const { domain, profile, origins, credentials, ...rest } = config.settings;
    const allowed = originsIn(origins?.value);
    return {
      ...(domain?.value === undefined ? {} : { domain: domain.value }),
      ...(allowed && { origins: { allowed, credentials: credentials?.value ?? false } }),
      profile: profile?.value ?? "default",
      ...pinsModel(rest),
    };
  },
};

/** Exact origins, or all; undefined for what is neither. */
export function originsIn(value: unknown): "*" | readonly string[] | undefined {
  if (value === "*") return value;
  return Array.isArray(value) && value.every((origin) => typeof origin === "string") ? value : undefined;
}
