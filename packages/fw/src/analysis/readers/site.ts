import { posix } from "node:path";
import { readConfig, type SettingReader, type SettingsOf } from "./config.ts";
import { readObject, type Field } from "./object.ts";
import type { SiteDeclaration } from "../../model/app.ts";
import type { DeclarationBase } from "../../model/declaration-ref.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import type { ConfigFault, ConfigRead, Located } from "./declaration-syntax.ts";
import { flag, group, text } from "./setting-readers.ts";
import { isText, spanIn, readConstant, readText, type Source } from "./source.ts";

interface Redirect {
  readonly from: string;
  readonly to: string;
  /** The location of the redirected path. */
  readonly at: Span;
}

const buildGroup = group({ command: text, out: text });

interface Build {
  readonly command?: Located<string>;
  readonly out?: Located<string>;
}

const build: SettingReader<Build> = (source, name, node) => {
  const { reading, faults } = buildGroup(source, name, node);
  if (!reading || faults.length > 0) return { reading, faults };
  const missing = (["command", "out"] as const).filter((key) => !reading.value?.[key]);
  const more = missing.map((key): ConfigFault => ({ kind: "missing", at: reading.at, name: `${name}.${key}` }));
  return { reading, faults: more };
};

const redirects: SettingReader<readonly Redirect[]> = (source, name, node) => {
  const { fields, faults } = readObject(source, node);
  const entries = [...fields.values()].map((field) => readRedirect(source, name, field));
  const value = entries.filter((entry): entry is Redirect => "from" in entry);
  const wrong = entries.filter((entry): entry is ConfigFault => "kind" in entry);
  return { reading: { at: spanIn(source, node), value }, faults: [...faults, ...wrong] };
};

type Settings = {
  readonly build: SettingReader<Build>;
  readonly redirects: SettingReader<readonly Redirect[]>;
  readonly trustedHTML: SettingReader<boolean>;
  readonly notFound: SettingReader<string>;
  readonly fallback: SettingReader<string>;
  readonly language: SettingReader<string>;
};

const settings: Settings = { build, redirects, trustedHTML: flag, notFound: text, fallback: text, language: text };

export interface ParsedSite extends DeclarationBase<"site"> {
  readonly text: Located<string>;
  /** Relative to the application's root; `undefined` if it is outside the root or could not be read. */
  readonly dir: string | undefined;
  /** The directory that `build` creates; relative like `dir`. */
  readonly out: string | undefined;
  readonly config: ConfigRead<SettingsOf<Settings>>;
}

/** Reads `Site(dir, config)`. Directories are relative to the package and inside the application. */
export const site: DeclarationReader<ParsedSite, SiteDeclaration> = {
  read(source) {
    const text = readText(source, 0);
    const config = readConfig(source, 1, settings);
    return { text, dir: directory(source, text), out: directory(source, config.settings.build?.value?.out), config };
  },
  model({ dir, out, config }) {
    if (dir === undefined) return undefined;
    const { build, redirects, trustedHTML, notFound, fallback, language } = config.settings;
    const command = build?.value?.command?.value;
    return {
      dir,
      ...(command === undefined || out === undefined ? {} : { build: { command, out } }),
      redirects: Object.fromEntries((redirects?.value ?? []).map(({ from, to }) => [from, to])),
      trustedHTML: trustedHTML?.value ?? false,
      ...(notFound?.value === undefined ? {} : { notFound: notFound.value }),
      ...(language?.value === undefined ? {} : { language: language.value }),
      ...(fallback?.value === undefined ? {} : { fallback: fallback.value }),
    };
  },
};

function readRedirect(source: Source, setting: string, { name: from, at, value }: Field): Redirect | ConfigFault {
  const name = `${setting}["${from}"]`;
  if (value === undefined) return { kind: "accessor", at, name };
  const target = readConstant(source, value, isText);
  if (target.why !== undefined) return { kind: "computed", at: target.at, name, why: target.why };
  if (target.value === undefined)
    return { kind: "type", at: target.at, name, expected: "a string", actual: target.actual, options: [] };
  if (!isPath(from)) return { kind: "redirect", at, path: from };
  if (!isPath(target.value) && !/^https?:\/\//.test(target.value)) {
    return { kind: "redirect", at: target.at, path: target.value };
  }
  return { from, to: target.value, at };
}

function isPath(text: string): boolean {
  return text.startsWith("/");
}

function directory({ module }: Source, setting: Located<string> | undefined): string | undefined {
  if (setting?.value === undefined || posix.isAbsolute(setting.value)) return undefined;
  const path = posix.join(posix.dirname(module.path), setting.value).replace(/\/$/, "");
  if (path === ".." || path.startsWith("../")) return undefined;
  return path === "." ? "" : path;
}
