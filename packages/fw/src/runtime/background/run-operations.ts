import { Fault, NotFound } from "../../declare/errors.ts";
import type { Context } from "../../declare/context.ts";
import type { JobDeclaration, RunOperations } from "../../declare/job.ts";
import { parseDuration } from "../../lib/duration.ts";
import { platformOf, type Application } from "../application.ts";
import { usesIdentity, usesTenants } from "../capabilities.ts";
import { portsOf } from "../context-ports.ts";
import { fenceOf, transactionOf } from "../entity/entity.ts";
import { nameInTenant } from "../tenant/tenant-context.ts";
import { inOwnTransaction, type MessageSender, type TransactionWork } from "./message-keys.ts";
import { cancelRun, insertRun, mostListedRuns, readRun, readRuns, type RequestedRun } from "./run-records.ts";

/** Limit: runs of a job that are listed without a `limit`. */
const listedRuns = 100;

/** Limit: milliseconds that a canceled handler has to stop, by default. */
export const cancelMs = 10_000;

/** Limit: maximum milliseconds that a canceled handler may have to stop. */
const longestCancelMs = 3_600_000;

type RunPorts = Pick<Application, "platform">;

/** Implements the operations on recorded runs. Each run is a document, whichever process runs it. */
export function runOperations(application: () => Application): RunOperations {
  const now = (): number => platformOf(application(), "read runs on").clock.now();
  return {
    async get(ctx, job, id) {
      const runs = { job: runsName(ctx, job), history: requireHistory(job) };
      const store = transactionOf(ctx) ?? portsOf(application(), ctx, "read runs on").entities;
      const run = await readRun(store, runs, id, now());
      if (run === undefined) throw NotFound();
      return run;
    },
    async list(ctx, job, { limit = listedRuns }) {
      const runs = { job: runsName(ctx, job), history: requireHistory(job) };
      if (!Number.isInteger(limit) || limit < 1 || limit > mostListedRuns)
        throw new Fault(`job ${job.name}: limit is ${limit}, not a whole number from 1 to ${mostListedRuns}`);
      const store = transactionOf(ctx) ?? portsOf(application(), ctx, "read runs on").entities;
      return readRuns(store, runs, limit, now());
    },
    async cancel(ctx, job, id, { within }) {
      const run = { id, job: runsName(ctx, job), history: requireHistory(job), within: timeToStop(job, within) };
      return changeRuns(application(), ctx, (transaction, at) => cancelRun(transaction, run, at));
    },
  };
}

export function recordingSender(app: RunPorts, ctx: Context, request: RequestedRun): MessageSender {
  const by = usesIdentity ? ctx.maybeUser()?.id : undefined;
  return (destination, message) =>
    changeRuns(app, ctx, async (transaction, now) => {
      insertRun(transaction, { ...request, by }, now);
      return transaction.send(destination, message);
    });
}

/** Returns the lifetime of a job's run records in milliseconds; undefined if none are written. */
export function historyOf({ history }: Pick<JobDeclaration, "history">): number | undefined {
  return history === undefined ? undefined : parseDuration(history);
}

/** Returns the name of a job in the records of its runs: with the tenant, if tenants separate the job. */
export function runsName(ctx: Context, job: JobDeclaration): string {
  return usesTenants ? nameInTenant(ctx, job) : job.name;
}

function requireHistory(job: JobDeclaration): number {
  const history = historyOf(job);
  if (history === undefined) throw new Fault(`job ${job.name} records no runs: declare it with history`);
  return history;
}

function timeToStop({ name }: JobDeclaration, text: string | undefined): number {
  if (text === undefined) return cancelMs;
  const within = parseDuration(text);
  if (within === undefined || within > longestCancelMs)
    throw new Fault(
      `job ${name}: "${text}" is not a valid time to stop: write a duration of up to 1 hour, such as "30s"`,
    );
  return within;
}

function changeRuns<T>(app: RunPorts, ctx: Context, work: TransactionWork<T>): Promise<T> {
  return inOwnTransaction(platformOf(app, "record runs on"), ctx, work, fenceOf(ctx));
}
