import { formatMemory, parseMemory } from "../../../lib/memory.ts";
import { leastMemoryMi } from "../../../lib/limits.ts";
import { descriptionOf } from "../../../model/kinds.ts";
import { isCpu, memoryFor } from "../../../model/scaling.ts";
import type { Finding, Rule } from "../../rule.ts";
import { isScaled, unitsOf, type Scaled, type ServiceUnit } from "./units.ts";

/** Limit: the maximum memory of an instance, in mebibytes. */
const mostMemoryMi = 32_768;

export const footprint: Rule = {
  id: "footprint",
  title: "A footprint is available on the platform and for its kind of declaration",
  *declaration(read) {
    if (!isScaled(read)) return;
    yield* cpuMistake(read);
    yield* memoryMistake(read);
  },
  *package(read) {
    for (const unit of unitsOf(read)) yield* combinationMistake(unit);
  },
};

const cpus = "write 0.08 to 1 in steps of 0.01, 2, 4, 6 or 8";

function* cpuMistake({ kind, config }: Scaled): Iterable<Finding> {
  const cpu = config.settings.footprint?.value?.cpu;
  if (cpu?.value === undefined) return;
  const { at, value } = cpu;
  if (typeof value !== "number") yield { at, message: "cpu is not a number", hint: cpus };
  else if (!isCpu(value)) yield { at, message: `there are no instances with ${value} cpu`, hint: cpus };
  else if (value < 1 && descriptionOf(kind).unshared) {
    const [name] = descriptionOf(kind).functions;
    yield {
      at,
      message: `a ${name} needs at least 1 cpu`,
      hint: "less than 1 cpu is only available during requests, and a background process receives none",
    };
  }
}

function* memoryMistake({ config }: Scaled): Iterable<Finding> {
  const memory = config.settings.footprint?.value?.memory;
  if (memory?.value === undefined) return;
  const { at, value } = memory;
  const mebibytes = typeof value === "string" ? parseMemory(value) : undefined;
  const hint = `write a literal from "${formatMemory(leastMemoryMi)}" to "${formatMemory(mostMemoryMi)}", such as "512Mi"`;
  if (mebibytes === undefined) {
    yield {
      at,
      message: typeof value === "string" ? `the memory "${value}" is not an amount` : "memory is not an amount",
      hint,
    };
  } else if (mebibytes < leastMemoryMi || mebibytes > mostMemoryMi) {
    yield { at, message: `there are no instances with ${formatMemory(mebibytes)} of memory`, hint };
  }
}

/** Reports values that are valid alone but not in combination. */
function* combinationMistake({ kind, pins, scaling }: ServiceUnit): Iterable<Finding> {
  const { cpu, memory } = scaling.footprint;
  const { concurrency = 1 } = scaling.traffic ?? {};
  if (!isCpu(cpu) || memory < leastMemoryMi || memory > mostMemoryMi) return;
  const [least, most] = memoryFor(kind, cpu);
  const at = pins.memory?.at ?? pins.cpu?.at;
  if (at !== undefined && (memory < least || memory > most)) {
    yield {
      at,
      message: `an instance with ${cpu} cpu cannot have ${formatMemory(memory)} of memory`,
      hint: `with ${cpu} cpu, use ${formatMemory(least)} to ${formatMemory(most)}`,
    };
  }
  if (cpu < 1 && concurrency > 1 && pins.cpu !== undefined) {
    yield {
      at: pins.concurrency?.at ?? pins.cpu.at,
      message: `an instance with ${cpu} cpu cannot handle ${concurrency} requests at the same time`,
      hint: "set concurrency to 1, or use at least 1 cpu",
    };
  }
}
