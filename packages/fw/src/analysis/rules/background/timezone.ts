import { isZone, zoneNames } from "../../../lib/cron.ts";
import { nearest } from "../../../lib/suggest.ts";
import type { Span } from "../../../model/diagnostic.ts";
import type { Finding, Rule } from "../../rule.ts";
import { constantMistake } from "../phrases.ts";

export const timezone: Rule = {
  id: "timezone",
  title: "The `timezone` of a `Cron` is a constant name from the tz database",
  *declaration(read) {
    const zone = read.kind === "cron" ? read.config.settings.timezone : undefined;
    if (zone) yield* constantMistake("timezone", zone, hint, (value) => zoneMistake(zone.at, value));
  },
};

const hint = 'write a name from the tz database, such as "Europe/Zurich"';

function zoneMistake(at: Span, value: unknown): string | Omit<Finding, "at"> | undefined {
  if (typeof value !== "string") return "timezone is not a string";
  if (isZone(value)) return undefined;
  const suggestion = zoneNames().get(value.toLowerCase()) ?? nearest(value, zoneNames().values());
  const message = `"${value}" is not a time zone`;
  if (suggestion === undefined) return message;
  return { message, hint: `did you mean "${suggestion}"?`, fix: { kind: "text", at, text: suggestion } };
}
