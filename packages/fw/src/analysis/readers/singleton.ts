import type { Singleton } from "../../model/background.ts";
import { readConfig, type SettingReader, type SettingsOf } from "./config.ts";
import type { Kind } from "./kind.ts";
import { named, type ParsedNamed } from "./named.ts";
import type { ConfigRead, Located } from "./declaration-syntax.ts";
import { anyConstant, group } from "./settings.ts";

type Settings = {
  readonly traffic: SettingReader<{ readonly maxInstances?: Located<unknown> }>;
};

const settings: Settings = { traffic: group({ maxInstances: anyConstant }) };

export interface ParsedSingleton extends ParsedNamed<"singleton"> {
  readonly config: ConfigRead<SettingsOf<Settings>>;
}

const plain = named("singleton");

/** `Singleton(name, body, config)`. */
export const singleton: Kind<ParsedSingleton, Singleton> = {
  read: (source, call, declaration, name) => ({
    ...plain.read(source, call, declaration, name),
    config: readConfig(source, call, 2, settings),
  }),
  model(parsed, service) {
    const whole = plain.model(parsed, service);
    return whole && { ...whole, service: `${service}-${whole.declaration.variable}` };
  },
};
