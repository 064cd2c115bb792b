import { parseCron } from "../../lib/cron.ts";
import type { Cron } from "../../model/background.ts";
import { readConfig, type SettingReader, type SettingsOf } from "./config.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import type { ConfigRead, Located } from "./declaration-syntax.ts";
import { nameOnly, type ParsedNamed } from "./named.ts";
import { pinsModel, scaling, type ScalingSettings } from "./scaling.ts";
import { anyConstant, someConstant } from "./setting-readers.ts";
import { millisecondsIn, readText } from "./source.ts";

/** Limit: the default deadline of a cron, in milliseconds. */
const cronDeadlineMs = 180_000;

type Settings = ScalingSettings & Readonly<Record<"timezone" | "deadline", SettingReader<unknown>>>;

const settings: Settings = { timezone: anyConstant, deadline: someConstant, ...scaling };

export interface ParsedCron extends ParsedNamed<"cron"> {
  readonly schedule: Located<string>;
  /** Any constants, because rules check the values. */
  readonly config: ConfigRead<SettingsOf<Settings>>;
}

/** Reads `Cron(name, schedule, handler, config)`. */
export const cron: DeclarationReader<ParsedCron, Cron> = {
  read: (source) => ({
    ...nameOnly.read(source),
    schedule: readText(source, 1),
    config: readConfig(source, 3, settings),
  }),
  model({ text, schedule, config }) {
    const parsed = schedule.value === undefined ? undefined : parseCron(schedule.value);
    if (text.value === undefined || parsed === undefined || "message" in parsed) return undefined;
    const { timezone, deadline } = config.settings;
    return {
      name: text.value,
      schedule: parsed.text,
      ...(schedule.value?.trim().startsWith("every") && { sentence: schedule.value.trim().replaceAll(/\s+/g, " ") }),
      timezone: typeof timezone?.value === "string" ? timezone.value : "UTC",
      deadline: millisecondsIn(deadline) ?? cronDeadlineMs,
      ...pinsModel(config.settings),
    };
  },
};
