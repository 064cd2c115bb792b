import type { ServiceDeclaration } from "../../model/app.ts";
import type { DeclarationBase } from "../../model/declaration-ref.ts";
import { readConfig, type SettingReader, type SettingsOf } from "./config.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import type { ConfigRead } from "./declaration-syntax.ts";
import { pinsModel, scaling, type ScalingSettings } from "./scaling.ts";
import { anyConstant, flag, text } from "./setting-readers.ts";

type Settings = ScalingSettings & {
  readonly domain: SettingReader<string>;
  /** Any constant, because a rule checks the value. */
  readonly origins: SettingReader<unknown>;
  readonly credentials: SettingReader<boolean>;
};

const settings: Settings = { domain: text, origins: anyConstant, credentials: flag, ...scaling };

export interface ParsedService extends DeclarationBase<"service"> {
  readonly config: ConfigRead<SettingsOf<Settings>>;
}

export const service: DeclarationReader<ParsedService, ServiceDeclaration> = {
  read: (source) => ({ config: readConfig(source, 0, settings) }),
  model({ config }) {
    const { domain, profile, origins, credentials, ...rest } = config.settings;
    const allowedOrigins = originsIn(origins?.value);
    return {
      ...(domain?.value === undefined ? {} : { domain: domain.value }),
      ...(allowedOrigins && { origins: { allowed: allowedOrigins, credentials: credentials?.value ?? false } }),
      profile: profile?.value ?? "default",
      ...pinsModel(rest),
    };
  },
};

/** Returns the exact origins, or "*" for all; undefined for other values. */
export function originsIn(value: unknown): "*" | readonly string[] | undefined {
  if (value === "*") return value;
  return Array.isArray(value) && value.every((origin) => typeof origin === "string") ? value : undefined;
}
