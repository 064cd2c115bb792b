import { formatDuration } from "../../../lib/duration.ts";
import { formatMemory } from "../../../lib/memory.ts";
import type { Pins } from "../../../model/pins.ts";
import type { Located } from "../../readers/declaration-syntax.ts";
import type { ParsedPackage } from "../../readers/parsed.ts";
import { locatedPins } from "../../readers/scaling.ts";
import type { Finding, Rule } from "../../rule.ts";
import { appHandlers, sharedPins } from "./units.ts";

export const mixedFootprint: Rule = mixed("mixed-footprint", "footprint", ["cpu", "memory"]);
export const mixedProfile: Rule = mixed("mixed-profile", "profile", ["profile"]);
export const mixedTraffic: Rule = mixed("mixed-traffic", "traffic", [
  "minInstances",
  "maxInstances",
  "concurrency",
  "timeout",
]);

function mixed(id: string, setting: string, names: readonly (keyof Pins)[]): Rule {
  const title = `The handlers of a package that pin a ${setting} pin the same`;
  return { id, title, package: (read) => differing(read, names) };
}

/**
 * The first handler of an app service that pins another value than one before it; or than the Service says, where a handler
 * stays with that.
 */
function* differing(read: ParsedPackage, names: readonly (keyof Pins)[]): Iterable<Finding> {
  const handlers = appHandlers(read).map(({ declaration, config }) => {
    return { variable: declaration.variable, pins: locatedPins(config.settings), complete: config.complete };
  });
  const shared = sharedPins(read);
  for (const name of names) {
    const [first, ...others] = handlers.filter(({ pins }) => pins[name] !== undefined);
    const pinned = first?.pins[name];
    if (first === undefined || pinned === undefined) continue;
    const other = others.find(({ pins }) => pins[name]?.value !== pinned.value);
    const staying = handlers.find(({ pins, complete }) => pins[name] === undefined && complete);
    const said = shared[name];
    if (other?.pins[name]) yield differs(name, other.variable, other.pins[name], pinned, `"${first.variable}" pins`);
    else if (said && staying && said.value !== pinned.value)
      yield differs(name, first.variable, pinned, said, `for "${staying.variable}" the Service says`);
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
    message: `"${variable}" pins ${name} ${written(name, own.value)}, and ${where} ${written(name, other.value)}`,
    hint: "the APIs, Pages and Crons of a package are one service: pin it on the Service, or move the handler to a package of its own",
    related: [{ at: other.at, message: "the other value stands here" }],
  };
}

function written(name: keyof Pins, value: unknown): string {
  if (name === "memory") return formatMemory(Number(value));
  return name === "timeout" ? formatDuration(Number(value)) : String(value);
}
