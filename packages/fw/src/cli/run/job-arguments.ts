import { randomUUID } from "node:crypto";
import { compileFunction } from "node:vm";
import { isStatusError } from "../../declare/errors.ts";
import { destinationBody } from "../../generate/destination-module.ts";
import type { App } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import { encodeRun } from "../../platform/task.ts";
import { decodeMessage, encodeMessage } from "../../runtime/background/codec.ts";
import type { BundledDestination } from "../../runtime/bundle.ts";
import * as primitives from "../../runtime/generated.ts";
import { tenantMessage } from "../../runtime/tenant/tenant-message.ts";
import { Refusal } from "../command.ts";
import { missingArguments } from "./declared.ts";

/**
 * Creates a run id and encodes the message that starts the run, with the arguments in `json`. Refuses arguments that do
 * not match the declared type.
 */
export function newRun(
  app: App,
  {
    name,
    json,
    tenant,
  }: { readonly name: string; readonly json: string | undefined; readonly tenant: string | undefined },
): { readonly run: string; readonly body: string } {
  const job = bundledJob(app, name);
  const run = randomUUID();
  const text = encodeArguments(job, json);
  const args = tenant === undefined ? text : tenantMessage(tenant, text);
  return { run, body: encodeRun({ run, tasks: job.tasks ?? 1, args }) };
}

function encodeArguments(job: BundledDestination, json: string | undefined): string {
  try {
    return encodeMessage(job, decodeMessage(job, json ?? "null"));
  } catch (error) {
    if (!isStatusError(error)) throw error;
    throw new Refusal(json === undefined ? missingArguments(job.name) : error.message);
  }
}

/** Compiles a job's codec as in generated code, without loading the application's code. */
function bundledJob({ packages, types }: App, name: string): BundledDestination {
  const job = allOfKind(packages, "job").find((declared) => declared.name === name);
  if (job === undefined) throw new TypeError(`there is no job ${name}`);
  const runner = allOfKind(packages, "runner").find(({ source }) => source.name === name);
  const body = destinationBody(job, runner?.tasks ?? 1, types);
  return compileFunction(body, ["runtime"])(primitives) as BundledDestination;
}
