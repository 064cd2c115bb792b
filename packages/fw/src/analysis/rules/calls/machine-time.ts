import type { MachineTime } from "../../readers/machine-time.ts";
import type { Finding, Rule } from "../../rule.ts";

export const machineTime: Rule = {
  id: "machine-time",
  title: "A time that is stored, sent, returned or compared comes from `ctx.now()`",
  *app({ machineTimes }) {
    for (const time of machineTimes) {
      const { text, at, use, usedAt, replacement } = time;
      yield {
        at,
        message: `${text} reads the machine's clock, which tests cannot move, and its result ${use}`,
        hint: hasContext(time) ? `write ${replacement}` : `pass ctx to this function and write ${replacement}`,
        ...(usedAt.line === at.line && usedAt.path === at.path
          ? {}
          : { related: [{ at: usedAt, message: "the time is used here" }] }),
        ...(hasContext(time) && { fix: fixOf(time) }),
      };
    }
  },
};

function hasContext({ context, parameters }: MachineTime): boolean {
  return context !== undefined || parameters !== undefined;
}

function fixOf({ at, replacement, context, parameters }: MachineTime): NonNullable<Finding["fix"]> {
  const parameter = context === undefined && parameters ? { at: parameters, name: "ctx" } : undefined;
  return { kind: "replace", at, text: replacement, parameter };
}
