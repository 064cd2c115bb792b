import { jsonBytes } from "../lib/limits.ts";
import { dispatcherOperations, type DispatcherOperation } from "../runtime/background/dispatcher-operations.ts";
import { operation } from "../runtime/background/operation.ts";
import { seedOperation } from "../runtime/background/seed.ts";
import { jobOperation } from "../runtime/background/start-job.ts";
import { readBody } from "../runtime/body/body.ts";
import type { InjectedEndpoint, InjectedEndpoints } from "../runtime/routing/injected-endpoint.ts";

/** Operations for commands of the same user; each call carries a token that only they can create. */
export const operations: InjectedEndpoints = {
  ...jobOperation,
  ...seedOperation,
  ...Object.fromEntries([...dispatcherOperations].map(([path, work]) => [path, ofDispatcher(work)])),
};

function ofDispatcher(work: DispatcherOperation): InjectedEndpoint {
  return operation(async (request) => {
    const body = await readBody(request.exchange, jsonBytes);
    return work(request.app.platform?.dispatcher, body.toString());
  });
}
