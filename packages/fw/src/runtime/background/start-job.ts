import { StatusError } from "../../declare/errors.ts";
import type { JobDeclaration } from "../../declare/job.ts";
import { jsonBytes } from "../../lib/limits.ts";
import { isMisfit } from "../../platform/misfit.ts";
import { readBody } from "../body/body.ts";
import type { BundledDestination } from "../bundle.ts";
import { usesTenants } from "../capabilities.ts";
import type { InjectedEndpoints } from "../routing/injected-endpoint.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { contextOfSender, type ReceivedMessage } from "../tenant/tenant-message.ts";
import { decodeSent } from "./codec.ts";
import { operation } from "./operation.ts";

/**
 * Starts a job. The rest of the path is its name, the body contains its arguments as JSON, and the response is the
 * run's id.
 */
export const jobOperation: InjectedEndpoints = { "dev/operate/jobs/": operation(startJob) };

async function startJob(request: Request, name: string): Promise<unknown> {
  return startNamedJob(request, name, (await readBody(request.exchange, jsonBytes)).toString());
}

/**
 * Starts the job with this name. `json` contains its arguments, wrapped with the run's tenant if the job has tenants;
 * "" means none.
 */
export async function startNamedJob({ app, ctx }: Request, name: string, json: string): Promise<unknown> {
  const job = app.bundle.destinations?.find((destination) => destination.kind === "job" && destination.name === name);
  if (job === undefined) throw new StatusError(404, messages.notFound);
  const { message: args, sender } = decodeArguments(job, json || "null");
  const inside = usesTenants ? contextOfSender(ctx, sender) : ctx;
  return { run: await app.host.messages.start(inside, job.declaration as JobDeclaration, args) };
}

function decodeArguments(job: BundledDestination, text: string): ReceivedMessage {
  try {
    return decodeSent(job, text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new StatusError(400, messages.invalidJSON);
    // A misfit means a missing tenant or message: arguments of the wrong type are a BadInput.
    if (usesTenants && isMisfit(error)) throw new StatusError(400, "name the tenant that the run belongs to");
    throw error;
  }
}
