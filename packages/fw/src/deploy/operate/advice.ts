import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { CloudClient } from "../../platform/gcp/rest/client.ts";
import type { Api } from "../../platform/gcp/rest/endpoints.ts";

/** The narrowest predefined role for the operator commands that use an API. */
const roles: { readonly [Each in Api]?: string } = {
  cloudscheduler: "roles/cloudscheduler.jobRunner",
  cloudtasks: "roles/cloudtasks.enqueuer",
  datastore: "roles/datastore.user",
  identitytoolkit: "roles/firebaseauth.admin",
  logging: "roles/logging.viewer",
  pubsub: "roles/pubsub.editor",
  run: "roles/run.jobsExecutorWithOverrides",
  storage: "roles/storage.objectViewer",
};

/** Adds the missing role to a client's access errors. */
export function withAdvice(client: CloudClient): CloudClient {
  return {
    call: (request) => client.call<never>(request).catch((error: unknown) => advise(error, request.api)),
    open: (request) => client.open(request).catch((error: unknown) => advise(error, request.api)),
    close: () => client.close(),
  };
}

function advise(error: unknown, api: Api): never {
  const role = roles[api];
  if (!(error instanceof CloudError) || error.status !== 403 || role === undefined) throw error;
  const { status, code, unknownEffect, reason, serverMessage, retryAfter } = error;
  const message = `${error.message} You need the role ${role} or a broader one; ask an owner of the project to grant it.`;
  throw new CloudError(message, { status, code, unknownEffect, reason, serverMessage, retryAfter }, { cause: error });
}
