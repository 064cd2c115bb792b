import { fieldsOf, itemsOf, textOf, type Fields } from "./fields.ts";
import type { Resource } from "./resource.ts";

/**
 * List prices in USD for tier 1 regions, from Google's pages in 2025: cloud.google.com/run/pricing and
 * cloud.google.com/scheduler/pricing. Free tiers are not subtracted. docs/deploy.md has the same numbers.
 */
export const listPrices = {
  /** One vCPU, or one GiB of memory, for one second, if the CPU is always allocated. */
  instanceCpu: 0.000018,
  instanceGibibyte: 0.000002,
  /** The same for an idle minimum instance. */
  idleCpu: 0.0000025,
  idleGibibyte: 0.0000025,
  /** One cron trigger for a month. */
  cron: 0.1,
} as const;

/** Prices in USD per document, from the same pages: cloud.google.com/datastore/pricing. */
export const documentPrices = { read: 0.0000003, write: 0.0000009 } as const;

const secondsOfMonth = 730 * 3600;

/** The monthly price without any use, and the kinds of use that are billed. */
export interface Costs {
  /** USD per month. */
  readonly monthly: number;
  readonly always: readonly string[];
  readonly byUse: readonly string[];
}

export function costsOf(resources: readonly Resource[]): Costs {
  const instances = resources.filter(({ kind }) => kind === "service").flatMap(instanceCost);
  const crons = resources.filter(({ kind }) => kind === "schedule").length;
  const fixed = [
    ...instances,
    ...(crons > 0 ? [{ what: counted(crons, "cron"), monthly: crons * listPrices.cron }] : []),
  ];
  return {
    monthly: fixed.reduce((sum, { monthly }) => sum + monthly, 0),
    always: fixed.map(({ what, monthly }) => `${what} (${monthly.toFixed(2)})`),
    byUse: uses.filter(({ kinds }) => resources.some(({ kind }) => kinds.includes(kind))).map(({ what }) => what),
  };
}

function instanceCost({ title, spec }: Resource): readonly { readonly what: string; readonly monthly: number }[] {
  const { minInstanceCount = 0 } = fieldsOf(spec["scaling"]);
  const count = Number(minInstanceCount);
  if (count === 0) return [];
  const [container = {}] = itemsOf(fieldsOf(spec["template"])["containers"]);
  const monthly = count * secondsOfMonth * pricePerSecond(fieldsOf(container["resources"]));
  return [{ what: `${counted(count, "instance")} of ${title.replace(/^service /, "")}`, monthly }];
}

/** Returns the price in USD per second of one instance that serves no requests. */
function pricePerSecond({ cpuIdle, limits }: Fields): number {
  const { cpu, memory } = fieldsOf(limits);
  const gibibytes = Number.parseInt(textOf(memory)) / 1024;
  const { idleCpu, idleGibibyte, instanceCpu, instanceGibibyte } = listPrices;
  return cpuIdle === true
    ? Number(cpu) * idleCpu + gibibytes * idleGibibyte
    : Number(cpu) * instanceCpu + gibibytes * instanceGibibyte;
}

const uses: readonly { readonly what: string; readonly kinds: readonly Resource["kind"][] }[] = [
  { what: "requests and processor time", kinds: ["service"] },
  { what: "executions of jobs", kinds: ["job"] },
  { what: "documents", kinds: ["database"] },
  { what: "objects", kinds: ["bucket"] },
  { what: "messages", kinds: ["topic", "queue"] },
  { what: "accounts", kinds: ["sign-in"] },
  { what: "metrics and alerts", kinds: ["metric", "alert"] },
  { what: "images", kinds: ["image-repository"] },
];

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
