import { grouped } from "../../lib/grouped.ts";
import type { DescribedStep } from "../../deploy/describe.ts";
import type { Kind } from "../../deploy/resource.ts";
import type { Palette } from "../print/colour.ts";

/** The maximum width of a line, in columns. */
const columns = 100;

/**
 * Groups a plan by package: counts routine steps, and lists each step that is blocked, permanent or destructive, or
 * causes downtime.
 */
export function planSummary(steps: readonly DescribedStep[], palette: Palette): readonly string[] {
  const groups = grouped(steps, groupOf);
  const order = [...groups.keys()].toSorted((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  return order.flatMap((name) => [palette.bold(name), ...groupLines(groups.get(name) ?? [], palette)]);
}

const [application, project, undeclared] = ["the application", "the project", "no longer declared"];

function groupOf({ op, kind, title, package: name }: DescribedStep): string {
  if (op === "prune" || op === "leave") return undeclared;
  if (name !== undefined) return name;
  const isOfProject = ["api", "image-repository", "metric", "sign-in"].includes(kind) || /project|deploys$/.test(title);
  return isOfProject ? project : application;
}

function rankOf(group: string): number {
  return [application, project, undeclared].indexOf(group);
}

const signs: Readonly<Partial<Record<DescribedStep["op"], string>>> = { create: "+", update: "~", prune: "-" };

function groupLines(steps: readonly DescribedStep[], palette: Palette): readonly string[] {
  const routine = Object.entries(signs).flatMap(([op, sign]) => {
    const some = steps.filter((step) => step.op === op && !isSingular(step));
    return some.length === 0 ? [] : wrapped(`  ${sign} `, countByKind(some));
  });
  const leftovers = grouped(
    steps.filter(({ op }) => op === "leave"),
    ({ notes }) => notes.costs ?? "nothing",
  );
  return [
    ...routine,
    ...steps.filter(isSingular).flatMap((step) => singularLines(step, palette)),
    ...[...leftovers].flatMap(([costs, some]) => [...wrapped("  = ", countByKind(some)), `      costs: ${costs}`]),
  ];
}

/** True for a step that gets a separate line. */
function isSingular({ op, notes, destroys }: DescribedStep): boolean {
  if (op === "leave") return false;
  return (
    op === "blocked" || op === "replace" || destroys || notes.forGood !== undefined || notes.downtime !== undefined
  );
}

function singularLines({ op, title, notes, why }: DescribedStep, { bold, red }: Palette): readonly string[] {
  const sign = op === "blocked" ? "!" : op === "replace" ? "±" : (signs[op] ?? " ");
  const line = `  ${sign} ${title}`;
  return [
    op === "create" || op === "update" ? line : red(line),
    ...(notes.forGood === undefined ? [] : [bold(`      permanent: ${notes.forGood}`)]),
    ...(notes.downtime === undefined ? [] : [bold(`      downtime: ${notes.downtime}`)]),
    ...(why === undefined ? [] : [`      ${why}`]),
  ];
}

/** Counts the steps of each kind, or names the step if there is only one: `3 services`, or `service web`. */
function countByKind(steps: readonly DescribedStep[]): readonly string[] {
  const kinds = grouped(steps, ({ kind }) => kind);
  return (Object.keys(nouns) as Kind[]).flatMap((kind) => {
    const [first, ...others] = kinds.get(kind) ?? [];
    if (first === undefined) return [];
    return [others.length === 0 ? first.title : `${others.length + 1} ${nouns[kind]}`];
  });
}

/** The plural nouns of kinds, in the order of the output. */
const nouns: Readonly<Record<Kind, string>> = {
  service: "services",
  job: "jobs",
  domain: "domains",
  schedule: "crons",
  queue: "queues",
  topic: "topics",
  subscription: "subscriptions",
  database: "databases",
  index: "indexes",
  "field-indexes": "field indexes of entities",
  "time-to-live": "time-to-live policies",
  bucket: "buckets",
  notification: "notifications of uploads",
  "sign-in": "sign-ins",
  alert: "alerts",
  channel: "channels",
  dashboard: "dashboards",
  metric: "metrics",
  api: "APIs",
  "image-repository": "image repositories",
  image: "images",
  "service-account": "accounts",
  traffic: "traffic switches",
  grants: "IAM policies",
};

function wrapped(lead: string, words: readonly string[]): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    const longer = line === "" ? word : `${line}, ${word}`;
    if (lead.length + longer.length > columns && line !== "") {
      lines.push(`${line},`);
      line = word;
    } else line = longer;
  }
  return [...lines, line].map((text, at) => (at === 0 ? lead : " ".repeat(lead.length)) + text);
}
