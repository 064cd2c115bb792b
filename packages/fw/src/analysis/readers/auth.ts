import type { Auth } from "../../model/auth.ts";
import type { DeclarationBase } from "../../model/declaration-ref.ts";
import { readConfig, type SettingReader, type SettingsOf } from "./config.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import type { ConfigRead } from "./declaration-syntax.ts";
import { flag, text } from "./setting-readers.ts";

type Settings = Readonly<Record<"social" | "password" | "tokens" | "account" | "signUp", SettingReader<boolean>>> & {
  readonly style: SettingReader<string>;
};

const settings: Settings = {
  social: flag,
  password: flag,
  tokens: flag,
  account: flag,
  signUp: flag,
  style: text,
};

export interface ParsedAuth extends DeclarationBase<"auth"> {
  readonly config: ConfigRead<SettingsOf<typeof settings>>;
}

export const auth: DeclarationReader<ParsedAuth, Auth> = {
  read: (source) => ({ config: readConfig(source, 0, settings) }),
  model({ config }) {
    const { social, password, tokens, account, signUp, style } = config.settings;
    return {
      social: social?.value ?? false,
      password: password?.value ?? false,
      ...(tokens?.value ? { tokens: true } : {}),
      ...(account?.value ? { account: true } : {}),
      ...(signUp?.value ? { signUp: true } : {}),
      ...(style?.value === undefined ? {} : { style: style.value }),
    };
  },
};
