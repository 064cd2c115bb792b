import { formatDuration } from "../../../lib/duration.ts";
import { formatMemory } from "../../../lib/memory.ts";
import type { Pins } from "../../../model/pins.ts";
import type { Located } from "../../readers/declaration-syntax.ts";
import type { ParsedPackage } from "../../readers/parsed.ts";
import { locatedPins } from "../../readers/scaling.ts";
import type { Finding, Rule } from "../../rule.ts";
import { appHandlers, sharedPins } from "./units.ts";

export const mixedFootprint: Rule = mixedRule("mixed-footprint", "footprint", ["cpu", "memory"]);
export const mixedProfile: Rule = mixedRule("mixed-profile", "profile", ["profile"]);
export const mixedTraffic: Rule = mixedRule("mixed-traffic", "traffic", [
  "minInstances",
  "maxInstances",
  "concurrency",
  "timeout",
]);

function mixedRule(id: string, setting: string, names: readonly (keyof Pins)[]): Rule {
  const title = `The handlers of a package set the same ${setting}`;
  return { id, title, package: (read) => differing(read, names) };
}

/**
 * For each pin in `names`, reports a handler of an app service whose value differs from another handler's own or
 * inherited value.
 */
function* differing(read: ParsedPackage, names: readonly (keyof Pins)[]): Iterable<Finding> {
  const handlers = appHandlers(read).map(({ declaration, config }) => {
    return { variable: declaration.variable, pins: locatedPins(config.settings), complete: config.complete };
  });
  const shared = sharedPins(read);
  for (const name of names) {
    const [first, ...others] = handlers.filter(({ pins }) => pins[name] !== undefined);
    const firstValue = first?.pins[name];
    if (first === undefined || firstValue === undefined) continue;
    const other = others.find(({ pins }) => pins[name]?.value !== firstValue.value);
    const inheriting = handlers.find(({ pins, complete }) => pins[name] === undefined && complete);
    const serviceValue = shared[name];
    if (other?.pins[name])
      yield differs(name, other.variable, other.pins[name], firstValue, `"${first.variable}" sets`);
    else if (serviceValue && inheriting && serviceValue.value !== firstValue.value)
      yield differs(
        name,
        first.variable,
        firstValue,
        serviceValue,
        `the Service, used by "${inheriting.variable}", sets`,
      );
  }
}

function differs(
  name: keyof Pins,
  variable: string,
  own: Located<unknown>,
  other: Located<unknown>,
  where: string,
): Finding {
  return {
    at: own.at,
    message: `"${variable}" sets ${name} ${formatPin(name, own.value)}, and ${where} ${formatPin(name, other.value)}`,
    hint: "the APIs, Pages and Crons of a package are one service: set it on the Service, or move the handler to another package",
    related: [{ at: other.at, message: "the other value is here" }],
  };
}

function formatPin(name: keyof Pins, value: unknown): string {
  if (name === "memory") return formatMemory(Number(value));
  return name === "timeout" ? formatDuration(Number(value)) : String(value);
}
