import { isZone, zoneNames } from "../../../lib/cron.ts";
import { nearest } from "../../../lib/suggest.ts";
import type { Located } from "../../readers/declaration-syntax.ts";
import type { Finding, Rule } from "../../rule.ts";
import { causedBy } from "../phrases.ts";

export const timezone: Rule = {
  id: "timezone",
  title: "The time zone of a Cron is a constant name of the tz database",
  *declaration(read) {
    const zone = read.kind === "cron" ? read.config.settings.timezone : undefined;
    const mistake = zone && zoneMistake(zone);
    if (zone && mistake) yield { at: zone.at, ...mistake, ...causedBy(zone.cause) };
  },
};

const hint = 'write a name of the tz database, such as "Europe/Zurich"';

function zoneMistake({ at, value, why }: Located<unknown>): Omit<Finding, "at"> | undefined {
  if (value === undefined) {
    return { message: why === undefined ? "timezone is not a constant" : `timezone is not a constant: ${why}`, hint };
  }
  if (typeof value !== "string") return { message: "timezone is not a string", hint };
  if (isZone(value)) return undefined;
  const meant = zoneNames().get(value.toLowerCase()) ?? nearest(value, zoneNames().values());
  const message = `"${value}" is not a time zone`;
  if (meant === undefined) return { message, hint };
  return { message, hint: `did you mean "${meant}"?`, fix: { kind: "text", at, text: meant } };
}
