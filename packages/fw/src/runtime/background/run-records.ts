import type { JobRun } from "../../declare/job.ts";
import type { Document, EntityStore, Key, Platform, Transaction } from "../../platform/contract.ts";
import { transact } from "../../platform/transact.ts";
import type { Fields } from "../../platform/values.ts";
import { runKind } from "./kinds.ts";

/** Limit: ended runs of a job that are recorded; fw deletes the oldest. */
const keptRuns = 1_000;

/** Limit: characters of a reported note, or of a task's error. */
const noteCharacters = 500;

/** Limit: milliseconds until the record of an unfinished run expires. */
const openRunMs = 366 * 86_400_000;

/** The maximum number of old runs that one run deletes when it ends. */
const prunedAtOnce = 100;

/** Milliseconds from a task's deadline until it counts as failed without a recorded result. */
const lostAfterMs = 60_000;

/** A task of a run. Times are in milliseconds since 1970. */
interface TaskRecord {
  /** `waiting` before each attempt. */
  readonly state: JobRun["state"];
  readonly attempt: number;
  readonly progress: number;
  readonly note?: string;
  readonly notedAt?: number;
  readonly error?: string;
  /** The start of the first attempt. */
  readonly beganAt?: number;
  readonly endedAt?: number;
  /** The time when the last attempt counts as failed if it has not recorded a result. */
  readonly lostAt?: number;
}

interface RunRecord {
  readonly job: string;
  /** Sorts the runs of a job by time. */
  readonly order: string;
  /** Sorts the runs of a job by the time after which no message starts or ends a task; absent if not yet known. */
  readonly settled?: string;
  readonly requestedAt: number;
  readonly by?: string;
  readonly cancelledAt?: number;
  /** The milliseconds that running tasks get to stop after a cancellation. */
  readonly within?: number;
  readonly tasks: readonly TaskRecord[];
}

export interface RequestedRun {
  readonly run: string;
  readonly job: string;
  readonly tasks: number;
  readonly by?: string | undefined;
}

export interface TaskAttempt extends RequestedRun {
  readonly task: number;
  readonly attempt: number;
  /** True if this is the last attempt. */
  readonly isLast: boolean;
  /** The time limit of the attempt, in milliseconds. */
  readonly deadline: number;
  /** Milliseconds from the run's end until its record expires. */
  readonly history: number;
}

export interface Report {
  readonly progress: number;
  readonly note?: string | undefined;
}

const newTask: TaskRecord = { state: "waiting", attempt: 0, progress: 0 };

export function insertRun(transaction: Transaction, request: RequestedRun, now: number): void {
  transaction.upsert(runKey(request.run), runFields(newRunRecord(request, now)), {
    expires: new Date(now + openRunMs),
  });
}

export interface RecordedRuns {
  readonly job: string;
  /** Milliseconds from a run's end until its record expires. */
  readonly history: number;
}

/** Reads a run of a job; undefined if no run of the job is recorded with this id. */
export async function readRun(
  store: Pick<EntityStore, "get">,
  { job, history }: RecordedRuns,
  id: string,
  now: number,
): Promise<JobRun | undefined> {
  const record = runRecordIn(await store.get(runKey(id)));
  const run = record?.job === job ? jobRunOf(id, record, now) : undefined;
  return run && isRunShown(run, history, now) ? run : undefined;
}

/** A run with its job's name in the records, which includes the tenant. */
type ListedRun = JobRun & { readonly job: string };

export async function readRuns(
  store: Pick<EntityStore, "query">,
  { job, history }: RecordedRuns,
  limit: number,
  now: number,
): Promise<readonly JobRun[]> {
  const { documents } = await store.query({
    ...runsOf(job),
    orders: [{ property: "order", direction: "desc" }],
    limit,
  });
  return shownRuns(documents, history, now).flatMap(({ job: name, ...run }) => (name === job ? [run] : []));
}

/** Reads the newest runs of a job across all tenants. */
export async function readRunsOfTenants(
  store: Pick<EntityStore, "query">,
  { job, history }: RecordedRuns,
  limit: number,
  now: number,
): Promise<readonly ListedRun[]> {
  const orders = [{ property: "inJob", direction: "desc" as const }];
  const { documents } = await store.query({ ...runsOf(job, "inJob"), orders, limit });
  return shownRuns(documents, history, now);
}

function shownRuns(documents: readonly Document[], history: number, now: number): readonly ListedRun[] {
  return documents.flatMap((document) => {
    const record = runRecordIn(document);
    const run = record && { ...jobRunOf(document.id, record, now), job: record.job };
    return run && isRunShown(run, history, now) ? [run] : [];
  });
}

function isRunShown({ endedAt }: JobRun, history: number, now: number): boolean {
  return endedAt === undefined || endedAt.getTime() + history > now;
}

export const mostListedRuns: number = keptRuns;

/** Asks a run to stop. Returns false if it has ended or is not a run of this job. */
export async function cancelRun(
  transaction: Transaction,
  run: { readonly id: string; readonly job: string; readonly within: number; readonly history: number },
  now: number,
): Promise<boolean> {
  const record = runRecordIn(await transaction.get(runKey(run.id)));
  if (record?.job !== run.job || isRunOver(record, now)) return false;
  if (record.cancelledAt === undefined)
    writeRun(transaction, run.id, { ...record, cancelledAt: now, within: run.within }, run.history, now);
  return true;
}

/** Returns when a running task must stop; undefined if its run is not canceled. */
export async function stopTime(store: Pick<EntityStore, "get">, run: string): Promise<number | undefined> {
  const { cancelledAt, within = 0 } = runRecordIn(await store.get(runKey(run))) ?? {};
  return cancelledAt === undefined ? undefined : cancelledAt + within;
}

/**
 * Records the start of an attempt. Returns false if it must not start because its task is done or its run is canceled.
 */
export async function beginTask(platform: Platform, attempt: TaskAttempt): Promise<boolean> {
  const task = await changeTask(platform, attempt, (task, { cancelledAt }, now) => {
    if (task.state === "done") return undefined;
    if (cancelledAt !== undefined) return { ...task, state: "cancelled", ...(isTaskRunning(task) && { endedAt: now }) };
    const { endedAt: _, lostAt: __, ...rest } = task;
    return {
      ...rest,
      state: "running",
      attempt: attempt.attempt,
      progress: 0,
      beganAt: task.beganAt ?? now,
      ...(attempt.isLast && { lostAt: now + attempt.deadline + lostAfterMs }),
    };
  });
  if (task?.state === "cancelled") await pruneRuns(platform, attempt.job);
  return task?.state === "running";
}

export async function reportTask(platform: Platform, attempt: TaskAttempt, report: Report): Promise<void> {
  await changeTask(platform, attempt, (task, _run, now) =>
    isCurrentAttempt(task, attempt) ? { ...task, ...reportFields(report, now) } : undefined,
  );
}

/** The result of an attempt. It is `waiting` if the task will be retried. */
export interface Outcome {
  readonly state: Exclude<JobRun["state"], "running">;
  readonly error?: string;
}

/**
 * Records the result of an attempt with its latest report. Unless the task will be retried, also deletes the oldest
 * runs of the job above the limit.
 */
export async function endTask(
  platform: Platform,
  attempt: TaskAttempt,
  { state, error }: Outcome,
  report: Report | undefined,
): Promise<void> {
  await changeTask(platform, attempt, (task, { cancelledAt }, now) => {
    if (!isCurrentAttempt(task, attempt)) return undefined;
    const { error: _, lostAt: __, ...rest } = task;
    return {
      ...rest,
      ...(report && reportFields(report, now)),
      state: state === "waiting" && cancelledAt !== undefined ? "cancelled" : state,
      endedAt: now,
      ...(state === "done" && { progress: 1 }),
      ...(error !== undefined && { error: cutText(error) }),
    };
  });
  if (state !== "waiting") await pruneRuns(platform, attempt.job);
}

/** Changes the record of a task in a transaction. Returns the record if it was written. */
async function changeTask(
  platform: Platform,
  attempt: TaskAttempt,
  change: (task: TaskRecord, run: RunRecord, now: number) => TaskRecord | undefined,
): Promise<TaskRecord | undefined> {
  return transact(platform, async (transaction) => {
    const now = platform.clock.now();
    // A run started with Google's own tools has no record yet.
    const run = runRecordIn(await transaction.get(runKey(attempt.run))) ?? newRunRecord(attempt, now);
    const changed = change(run.tasks[attempt.task] ?? newTask, run, now);
    if (changed === undefined) return undefined;
    const tasks = run.tasks.map((task, index) => (index === attempt.task ? changed : task));
    writeRun(transaction, attempt.run, { ...run, tasks }, attempt.history, now);
    return changed;
  });
}

/** Deletes the oldest settled runs of a job beyond `keptRuns`, at most `prunedAtOnce`, even if older ones still run. */
async function pruneRuns({ entities, clock }: Platform, job: string): Promise<void> {
  const settled = settledRuns(job, clock.now());
  const count = await entities.count({ ...settled, orders: [] }, keptRuns + prunedAtOnce);
  if (count <= keptRuns) return;
  const orders = [{ property: "settled", direction: "asc" }] as const;
  const { documents } = await entities.query({ ...settled, orders, limit: count - keptRuns });
  await Promise.all(documents.map(({ id }) => entities.delete(runKey(id))));
}

function newRunRecord({ job, tasks, by }: RequestedRun, now: number): RunRecord {
  return {
    job,
    order: timeInJob(job, now),
    requestedAt: now,
    ...(by !== undefined && { by }),
    tasks: Array.from({ length: tasks }, () => newTask),
  };
}

function reportFields({ progress, note }: Report, now: number): Partial<TaskRecord> {
  return { progress, ...(note !== undefined && { note: cutText(note), notedAt: now }) };
}

/** Truncates a string without splitting a character. Replaces lone surrogates, which some databases cannot store. */
function cutText(text: string): string {
  const cut = text.slice(0, noteCharacters);
  const whole = cut.length < text.length ? cut.replace(/\p{Surrogate}$/u, "") : cut;
  return whole.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

function isTaskRunning({ state }: TaskRecord): boolean {
  return state === "running";
}

function isCurrentAttempt(task: TaskRecord, { attempt }: TaskAttempt): boolean {
  return isTaskRunning(task) && task.attempt === attempt;
}

function writeRun(transaction: Transaction, id: string, record: RunRecord, history: number, now: number): void {
  const kept = isRunSettled(record, now) ? history : openRunMs;
  transaction.upsert(runKey(id), runFields(record), { expires: new Date(now + kept) });
}

type RunFilter = Pick<Parameters<EntityStore["query"]>[0], "kind" | "filters">;

/** Selects the runs of one job. No job name contains a space. */
function runsOf(job: string, property: "order" | "inJob" = "order"): RunFilter {
  return {
    kind: runKind,
    filters: [
      { property, op: ">=", value: `${job} ` },
      { property, op: "<", value: `${job}!` },
    ],
  };
}

function settledRuns(job: string, now: number): RunFilter {
  return {
    kind: runKind,
    filters: [
      { property: "settled", op: ">=", value: `${job} ` },
      { property: "settled", op: "<=", value: timeInJob(job, now) },
    ],
  };
}

function timeInJob(job: string, time: number): string {
  return `${job} ${new Date(time).toISOString()}`;
}

function runKey(run: string): Key {
  return { kind: runKind, id: run };
}

function runFields(record: RunRecord): Fields {
  const { settled: _, ...rest } = record;
  const time = settledTime(record);
  const [job = "", tenant] = record.job.split("/");
  const inJob = tenant === undefined ? {} : { inJob: timeInJob(job, record.requestedAt) };
  return {
    ...rest,
    ...inJob,
    ...(time !== undefined && { settled: timeInJob(record.job, time) }),
  } as unknown as Fields;
}

/** Returns the time after which no message starts or ends a task of the run; undefined if not yet known. */
function settledTime({ tasks, cancelledAt = 0 }: RunRecord): number | undefined {
  const times = tasks.map(({ state, endedAt = 0, lostAt }) => {
    if (state === "waiting") return undefined;
    return state === "running" ? lostAt : endedAt;
  });
  return times.includes(undefined) ? undefined : Math.max(cancelledAt, ...times.map((each) => each ?? 0));
}

function runRecordIn(document: Document | undefined): RunRecord | undefined {
  return document?.fields as RunRecord | undefined;
}

function isRunOver(record: RunRecord, now: number): boolean {
  const state = stateOfRun(record, now);
  return state !== "waiting" && state !== "running";
}

/** True if no message may start a task anymore. A canceled run is remembered until its messages have been delivered. */
function isRunSettled(record: RunRecord | undefined, now: number): boolean {
  return record === undefined || (isRunOver(record, now) && record.tasks.every(({ state }) => state !== "waiting"));
}

function stateOfRun({ tasks, cancelledAt }: RunRecord, now: number): JobRun["state"] {
  const states = new Set(tasks.map((task) => stateOfTask(task, now)));
  if (states.has("running")) return "running";
  if (states.size === 1 && states.has("done")) return "done";
  if (cancelledAt !== undefined) return "cancelled";
  if (states.has("waiting")) return tasks.some(({ attempt }) => attempt > 0) ? "running" : "waiting";
  return states.has("failed") ? "failed" : "cancelled";
}

function stateOfTask({ state, lostAt = Infinity }: TaskRecord, now: number): JobRun["state"] {
  return state === "running" && now > lostAt ? "failed" : state;
}

function jobRunOf(id: string, record: RunRecord, now: number): JobRun {
  const { tasks, requestedAt, by, cancelledAt } = record;
  const state = stateOfRun(record, now);
  const withNotes = tasks.filter(({ note }) => note !== undefined);
  const { note } = withNotes.toSorted((one, other) => (one.notedAt ?? 0) - (other.notedAt ?? 0)).at(-1) ?? {};
  const error =
    tasks.findLast((task) => task.error !== undefined)?.error ??
    (state === "failed" ? "the process ended during the last attempt" : undefined);
  return {
    id,
    state,
    progress: tasks.reduce((sum, { progress }) => sum + progress, 0) / tasks.length,
    ...(note !== undefined && { note }),
    ...(by !== undefined && { by }),
    requestedAt: new Date(requestedAt),
    ...timesOfRun(record, state),
    ...(cancelledAt !== undefined && { cancelledAt: new Date(cancelledAt) }),
    ...(error !== undefined && { error }),
    attempts: Math.max(...tasks.map(({ attempt }) => attempt)),
    tasks: tasks.length,
  };
}

function timesOfRun(
  { tasks, cancelledAt = 0 }: RunRecord,
  state: JobRun["state"],
): Pick<JobRun, "beganAt" | "endedAt"> {
  const first = Math.min(...tasks.map(({ beganAt = Infinity }) => beganAt));
  const last = Math.max(
    state === "cancelled" ? cancelledAt : 0,
    ...tasks.map(({ endedAt = 0, lostAt = 0 }) => endedAt || lostAt),
  );
  const isOpen = state === "waiting" || state === "running";
  return {
    ...(first < Infinity && { beganAt: new Date(first) }),
    ...(!isOpen && { endedAt: new Date(last) }),
  };
}
