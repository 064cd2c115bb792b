import type { ConsoleModel } from "../generate/console-model.ts";
import { nextTick, parseCron } from "../lib/cron.ts";
import { editorTemplate } from "../lib/editor-link.ts";
import { dataStatus } from "../platform/data-status.ts";
import type { Request } from "../runtime/request.ts";
import { isTenantId } from "../runtime/tenant/tenant-context.ts";
import { tenantMessage } from "../runtime/tenant/tenant-message.ts";
import type { MetricSeries } from "../runtime/observe/metrics/snapshot.ts";
import { callAs } from "./call-as.ts";
import {
  countDocuments,
  createDocument,
  deleteDocument,
  findDocuments,
  locateDocument,
  saveDocument,
  searchDocuments,
} from "./documents.ts";
import type { ConsoleEvent } from "./event-hub.ts";
import { optionalText, text, BadInput, type Input } from "./input.ts";
import { data, type ConsoleParts } from "./parts.ts";
import { changeAccount, createAccount, listAccounts, signInAs, signOut } from "./people.ts";
import { addQueryIndexes, queryIndexes } from "./query-indexes.ts";
import { durationBounds, type StepTotal } from "./recording/step-totals.ts";
import { chartData, rangeOf } from "./timeline/charts.ts";
import { previewMail } from "./mail-preview.ts";
import { valueForm } from "./value-form.ts";
import { writeTest } from "./write-test.ts";
import { transact } from "../platform/transact.ts";
import { cancelMs } from "../runtime/background/run-operations.ts";
import { cancelRun, readRuns, readRunsOfTenants } from "../runtime/background/run-records.ts";

/** The maximum number of recorded runs to show for each job. */
const shownRuns = 20;

/** Handles a posted input; the result is sent as JSON. */
type ConsoleOperation = (input: Input, parts: ConsoleParts, request: Request) => unknown;

/** The number of objects, messages or dead messages per page. */
const pageSize = 100;

/** The maximum number of waiting messages of one consumer that the page can show. */
const maxPending = 1_000;

/** The largest object that the page can download, in bytes. */
const maxObjectBytes = 20_000_000;

/** The shortest and the longest time range of a chart, in milliseconds. */
const minRange = 60_000;
const maxRange = 7_200_000;

/** Drops the contents of documents, which only generated tests need. The page shows just counts and ids. */
function withoutDocuments(event: ConsoleEvent): ConsoleEvent {
  if (event.kind !== "span" || event.documents === undefined) return event;
  const { documents: _documents, ...rest } = event;
  return rest;
}

/** The operations of the console's page, by path below `/_fw/console/api/`. */
export const consoleOperations: Readonly<Record<string, ConsoleOperation>> = {
  events: async ({ after }, { hub, collect, definitions, redact }) => {
    await collect?.();
    const news = hub.after(typeof after === "number" ? after : 0);
    const events = addQueryIndexes(news.events, definitions()).map(withoutDocuments);
    return { ...news, events: events.map((event) => (isOutgoing(event) ? redact(event) : event)) };
  },
  exchange: async (input, { hub, collect, redact }) => {
    await collect?.();
    return redact(hub.exchange(text(input, "id")) ?? null);
  },
  test: writeTest,
  model: (_input, { model, root }) => {
    const current = model();
    if (current === undefined) return undefined;
    // A server has no source files to open in an editor.
    return { ...withoutForms(current), ...(root !== "" && { root, editor: editorTemplate(root) }) };
  },
  form: (input, { model }) => valueForm(text(input, "name"), model()),
  metrics: async (_input, { metrics }) => {
    const { at, since, series } = await metrics();
    return { at, since, series: series.map(summary) };
  },
  timeline: (input, { timeline }) => {
    const { routes } = input;
    const [range, now] = [rangeIn(input), Date.now()];
    const query = { range, ...(Array.isArray(routes) && { routes: new Set(routes.map(String)) }) };
    return chartData(timeline.since(now - range), now, query);
  },
  steps: async (input, { hub, collect, timeline, definitions, redact }) => {
    await collect?.();
    const [range, now] = [rangeIn(input), Date.now()];
    timeline.steps.add(hub.takeTotals(), now);
    const indexesOf = queryIndexes(definitions());
    return redact(timeline.steps.since(now - range).map((total) => stepRow(total, indexesOf)));
  },
  alerts: (_input, { alerts }) => alerts(),
  status: async (_input, parts) => {
    const platform = await parts.platform();
    return platform && dataStatus(platform, parts.definitions());
  },
  documents: findDocuments,
  "documents/counts": countDocuments,
  "documents/create": createDocument,
  "documents/locate": locateDocument,
  "documents/save": saveDocument,
  "documents/search": searchDocuments,
  "documents/delete": deleteDocument,
  objects: async (input, parts) => {
    const after = optionalText(input, "after");
    const options = { limit: pageSize, ...(after !== undefined && { after }) };
    return (await data(parts)).objects.list(text(input, "bucket"), optionalText(input, "prefix") ?? "", options);
  },
  "objects/read": async (input, parts) => {
    const object = await (await data(parts)).objects.open(text(input, "bucket"), text(input, "key"));
    if (object === undefined) throw new BadInput("the object no longer exists");
    if (object.size > maxObjectBytes)
      throw new BadInput(`the object has ${object.size} bytes; the console can download ${maxObjectBytes} at most`);
    const bytes = await new Response(object.stream()).arrayBuffer();
    return { base64: Buffer.from(bytes).toString("base64") };
  },
  "objects/delete": async (input, parts) =>
    (await data(parts)).objects.delete(text(input, "bucket"), text(input, "key")),
  messages: async (_input, parts) => {
    const { dispatcher } = await data(parts);
    const [backlog, dead, deadCount] = await Promise.all([
      dispatcher.backlog(),
      dispatcher.newestDead(pageSize),
      dispatcher.deadCount(),
    ]);
    return { backlog, dead, deadCount };
  },
  "messages/pending": async (input, parts) => {
    const { dispatcher } = await data(parts);
    const { limit = pageSize } = input;
    if (typeof limit !== "number" || !(limit >= 1 && limit <= maxPending))
      throw new BadInput(`"limit" must be 1 to ${maxPending} messages`);
    return { messages: await dispatcher.pending(text(input, "destination"), text(input, "consumer"), limit) };
  },
  "messages/hasten": async (input, parts) => {
    const { dispatcher } = await data(parts);
    await dispatcher.hasten(text(input, "destination"), text(input, "consumer"), text(input, "id"));
  },
  "messages/replay": async (input, parts) => ({
    done: await (await data(parts)).dispatcher.replay(text(input, "consumer"), text(input, "id")),
  }),
  "messages/drop": async (input, parts) => ({
    done: await (await data(parts)).dispatcher.drop(text(input, "consumer"), text(input, "id")),
  }),
  mails: (_input, { mails }) => mails?.list() ?? [],
  "mails/preview": previewMail,
  "crons/run": async (input, { runCron, model }) => {
    const name = text(input, "name");
    requireDeclared("cron", name, model(), ({ crons }) => crons);
    await runCron(name);
    return { done: true };
  },
  server: (_input, { server }) => server?.() ?? null,
  schedules: (_input, { model }) => nextRuns(model()),
  runs: listRuns,
  "runs/cancel": cancelListedRun,
  "jobs/start": async (input, { startJob, model }, request) => {
    const name = text(input, "name");
    requireDeclared("job", name, model(), ({ jobs }) => jobs);
    return startJob(request, name, argumentsOf(input, model()));
  },
  accounts: listAccounts,
  "accounts/create": createAccount,
  "accounts/change": changeAccount,
  "accounts/sign-in": signInAs,
  "accounts/sign-out": signOut,
  call: callAs,
};

/** Drops decoders and types, because the page reads the model every few seconds, and needs a type only for its form. */
function withoutForms({ documents, mails, forms: _forms, ...model }: ConsoleModel): object {
  return {
    ...model,
    ...(documents && { documents: documents.map(({ entity, sample }) => ({ entity, sample })) }),
    ...(mails && { mails: mails.map(({ name }) => ({ name })) }),
  };
}

function nextRuns(model: ConsoleModel | undefined): Readonly<Record<string, Date>> {
  const crons = (model?.graph.services ?? []).flatMap((service) => service.crons ?? []);
  const next = crons.flatMap(({ name, schedule, timezone }) => {
    const times = parseCron(schedule);
    const tick = "message" in times ? undefined : nextTick(times, timezone, new Date());
    return tick === undefined ? [] : [[name, tick] as const];
  });
  return Object.fromEntries(next);
}

/** Returns the length of a time range in milliseconds. */
function rangeIn({ range }: Input): number {
  if (typeof range !== "number" || !(range >= minRange && range <= maxRange))
    throw new BadInput(`"range" must be ${minRange} to ${maxRange} milliseconds`);
  return range;
}

/** True for an outgoing request, whose path may contain a secret. */
function isOutgoing(event: ConsoleEvent): boolean {
  return event.kind === "span" && event.group !== undefined;
}

/** Formats the totals of queries or calls as a row, with percentiles instead of buckets. */
function stepRow({ buckets, ...total }: StepTotal, indexesOf: ReturnType<typeof queryIndexes>): object {
  const [p50, p95] = [0.5, 0.95].map((share) => rangeOf(buckets, share, durationBounds));
  return { ...total, indexes: total.query && indexesOf(total.query), p50, p95 };
}

/** Formats a metric as a row, with percentiles instead of a histogram's buckets. */
function summary(series: MetricSeries): object {
  if (series.kind === "counter") return series;
  const { kind, name, labels, count, sum, buckets } = series;
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => rangeOf(buckets, share));
  return { kind, name, labels, count, sum, p50, p95, p99 };
}

/** Returns the newest runs of all jobs with a history, newest first. */
async function listRuns(_input: Input, parts: ConsoleParts): Promise<unknown> {
  const jobs = recordedJobsIn(parts.model());
  if (jobs.length === 0) return [];
  const { entities, clock } = await data(parts);
  const now = clock.now();
  const all = await Promise.all(
    jobs.map(async ({ name, history, tenant }) => {
      const read = tenant === undefined ? readRuns : readRunsOfTenants;
      return (await read(entities, { job: name, history }, shownRuns, now)).map((run) => ({
        job: name,
        ...run,
        ...(run.beganAt && { took: (run.endedAt?.getTime() ?? now) - run.beganAt.getTime() }),
      }));
    }),
  );
  return all.flat().toSorted((one, other) => other.requestedAt.getTime() - one.requestedAt.getTime());
}

async function cancelListedRun(input: Input, parts: ConsoleParts): Promise<{ readonly done: boolean }> {
  const name = text(input, "job");
  const job = recordedJobsIn(parts.model()).find((each) => each.name === name.split("/", 1)[0]);
  if (job === undefined) throw new BadInput(`the job "${name}" records no runs`);
  const platform = await data(parts);
  const run = { id: text(input, "id"), job: name, within: cancelMs, history: job.history };
  return { done: await transact(platform, (transaction) => cancelRun(transaction, run, platform.clock.now())) };
}

/** A job with recorded runs, and the Tenant that separates them. */
interface RecordedJob {
  readonly name: string;
  readonly history: number;
  readonly tenant: string | undefined;
}

function recordedJobsIn(model: ConsoleModel | undefined): readonly RecordedJob[] {
  return jobsIn(model).flatMap(({ name, history, tenant }) =>
    history === undefined ? [] : [{ name, history, tenant }],
  );
}

/** Throws if the application does not declare the cron or job. Accepts any name while the model is unknown. */
function requireDeclared(
  kind: "cron" | "job",
  name: string,
  model: ConsoleModel | undefined,
  declarations: (
    service: ConsoleModel["graph"]["services"][number],
  ) => readonly { readonly name: string }[] | undefined,
): void {
  if (model === undefined) return;
  const names = model.graph.services.flatMap((service) => declarations(service) ?? []).map((each) => each.name);
  if (!names.some((each) => each.toLowerCase() === name.toLowerCase()))
    throw new BadInput(`there is no ${kind} "${name}"; declared: ${names.join(", ") || "none"}`);
}

function jobsIn(model: ConsoleModel | undefined) {
  return (model?.graph.services ?? []).flatMap((service) => service.jobs ?? []);
}

/** Returns the arguments of a new run as JSON, wrapped with the tenant if the job has tenants. */
function argumentsOf(input: Input, model: ConsoleModel | undefined): string {
  const name = text(input, "name");
  const args = optionalText(input, "args") ?? "";
  if (jobsIn(model).find((job) => job.name === name)?.tenant === undefined) return args;
  const tenant = optionalText(input, "tenant") ?? "";
  if (!isTenantId(tenant)) throw new BadInput("name the tenant that the run belongs to");
  return tenantMessage(tenant, args === "" ? "null" : args);
}
