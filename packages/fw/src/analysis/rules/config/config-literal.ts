import { assertNever } from "../../../lib/assert-never.ts";
import { listOf, nearest } from "../../../lib/suggest.ts";
import type { ConfigFault } from "../../readers/declaration-syntax.ts";
import type { Finding, Rule } from "../../rule.ts";
import { causedBy } from "../phrases.ts";

export const configLiteral: Rule = {
  id: "config-literal",
  title: "A config is an object literal in the declaration itself, and its values are constants",
  *declaration(read) {
    if (!("config" in read)) return;
    for (const fault of read.config.faults) yield { at: fault.at, ...explain(fault) };
  },
};

function explain(fault: ConfigFault): Omit<Finding, "at"> {
  switch (fault.kind) {
    case "held":
      return {
        message: "the config is not a literal",
        hint: "write an object literal { … } here: fw reads settings from the source",
      };
    case "spread":
      return {
        message: "the config spreads another object",
        hint: "write out each setting: fw reads settings from the source",
      };
    case "computed-name":
      return { message: "the name of a setting is computed", hint: "write the name itself" };
    case "accessor":
      return { message: `"${fault.name}" is not a constant: it is a method or an accessor`, hint: constantHint };
    case "computed":
      return {
        message: `"${fault.name}" is not a constant: ${fault.why}`,
        hint: constantHint,
        ...causedBy(fault.cause),
      };
    case "type":
      return { message: `"${fault.name}" must be ${fault.expected}`, ...typeHint(fault) };
    case "missing":
      return { message: `"${fault.name}" is missing`, hint: "build needs a command and its output directory" };
    case "redirect":
      return {
        message: `"${fault.path}" is not a path to redirect`,
        hint: 'write a path that begins with "/", or a full URL as the target',
      };
    case "unknown":
      return { message: `there is no setting "${fault.name}"`, ...suggestSetting(fault) };
    default:
      return assertNever(fault);
  }
}

type Advice = Pick<Finding, "hint" | "fix">;

function typeHint({ at, actual, expected, options }: ConfigFault & { readonly kind: "type" }): Advice {
  const suggestion = typeof actual === "string" ? nearest(actual, options) : undefined;
  if (suggestion === undefined) return { hint: `change the value to ${expected}` };
  return { hint: `did you mean "${suggestion}"?`, fix: { kind: "text", at, text: suggestion } };
}

const constantHint = "write a literal, or a const of literals";

function suggestSetting({ at, name, options }: ConfigFault & { readonly kind: "unknown" }): Advice {
  const nearestName = nearest(name.slice(name.lastIndexOf(".") + 1), options);
  if (nearestName === undefined) return { hint: `the settings are ${listOf(options, "and")}` };
  return { hint: `did you mean "${nearestName}"?`, fix: { kind: "name", at, name: nearestName } };
}
