import type { DeclarationRef, ServiceDeclaration } from "../../model/app.ts";
import { readConfig, type SettingReader, type SettingsOf } from "./config.ts";
import type { Kind } from "./kind.ts";
import type { ConfigRead } from "./declaration-syntax.ts";
import { pinsModel, scaling, type ScalingSettings } from "./scaling.ts";
import { text } from "./settings.ts";

type Settings = ScalingSettings & { readonly domain: SettingReader<string> };

const settings: Settings = { domain: text, ...scaling };

export interface ParsedService {
  readonly kind: "service";
  readonly declaration: DeclarationRef;
  readonly config: ConfigRead<SettingsOf<Settings>>;
}

/** `Service(config)`. */
export const service: Kind<ParsedService, ServiceDeclaration> = {
  read: (source, call, declaration) => ({
    kind: "service",
    declaration,
    config: readConfig(source, call, 0, settings),
  }),
  model({ declaration, config }) {
    const { domain, profile, ...rest } = config.settings;
    return {
      kind: "service",
      declaration,
      ...(domain?.value === undefined ? {} : { domain: domain.value }),
      profile: profile?.value ?? "default",
      ...pinsModel(rest),
    };
  },
};
