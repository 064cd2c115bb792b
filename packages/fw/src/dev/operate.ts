import { jsonBytes } from "../lib/limits.ts";
import { dataStatus, type DataStatus } from "../platform/data-status.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import { definitionsOf } from "../runtime/index.ts";
import type { Request } from "../runtime/request.ts";
import {
  dispatcherOperations,
  statusPath,
  type DispatcherOperation,
} from "../runtime/background/dispatcher-operations.ts";
import { operation } from "../runtime/background/operation.ts";
import { seedOperation } from "../runtime/background/seed.ts";
import { jobOperation } from "../runtime/background/start-job.ts";
import { readBody } from "../runtime/body/body.ts";
import type { InjectedEndpoint, InjectedEndpoints } from "../runtime/routing/injected-endpoint.ts";

/** The endpoints for commands of the same user. Each call carries a token that only that user can create. */
export const operations: InjectedEndpoints = {
  ...jobOperation,
  ...seedOperation,
  [statusPath]: operation(({ app }) => statusOf(app)),
  ...Object.fromEntries([...dispatcherOperations].map(([path, work]) => [path, ofDispatcher(work)])),
};

/** Returns the status of the data; undefined if there is none. */
async function statusOf({ platform, bundle }: Request["app"]): Promise<DataStatus | undefined> {
  // The platform of a dev server is the local one.
  return platform && dataStatus(platform as LocalPlatform, definitionsOf(bundle));
}

function ofDispatcher(work: DispatcherOperation): InjectedEndpoint {
  return operation(async (request) => {
    const body = await readBody(request.exchange, jsonBytes);
    return work(request.app.platform?.dispatcher, body.toString());
  });
}
