import type { DeclarationRef } from "../../model/app.ts";
import { declarationKinds, type DeclarationKind } from "../../model/kinds.ts";
import type { DeclarationCall } from "../resolution/declarations.ts";
import type { Project } from "../source/project.ts";
import { readApi } from "./api.ts";
import { readAuth } from "./auth.ts";
import { readBucket } from "./bucket.ts";
import { readCron } from "./cron.ts";
import { readEntity } from "./entity.ts";
import { readJob } from "./job.ts";
import { readPage } from "./page.ts";
import { readPolicy } from "./policy.ts";
import { readQueue } from "./queue.ts";
import type { Read } from "./read.ts";
import type { Reader } from "./reader.ts";
import { readRole } from "./role.ts";
import { readRunner } from "./runner.ts";
import { readSecret } from "./secret.ts";
import { readService } from "./service.ts";
import { readSingleton } from "./singleton.ts";
import { readSite } from "./site.ts";
import { placeOf, type Source } from "./source.ts";
import { readStatus } from "./status.ts";
import { readSubscribe } from "./subscribe.ts";
import { readTopic } from "./topic.ts";
import { readWorker } from "./worker.ts";

const readers: Readonly<Record<DeclarationKind, Reader>> = {
  api: readApi,
  page: readPage,
  site: readSite,
  service: readService,
  status: readStatus,
  entity: readEntity,
  auth: readAuth,
  role: readRole,
  policy: readPolicy,
  secret: readSecret,
  bucket: readBucket,
  queue: readQueue,
  worker: readWorker,
  topic: readTopic,
  subscribe: readSubscribe,
  cron: readCron,
  job: readJob,
  runner: readRunner,
  singleton: readSingleton,
};

/** Reads one declaration. Never throws, whatever the arguments are. */
export function readDeclaration(project: Project, declared: DeclarationCall): Read {
  const { name, module, call, placement, variable } = declared;
  const source: Source = { project, module };
  if (placement !== "const" || variable === undefined) {
    return {
      kind: "misplaced",
      name,
      placement: placement === "const" ? "expression" : placement,
      at: placeOf(source, call.callee),
    };
  }
  return readers[declarationKinds[name]](source, call, reference(source, variable, declared), name);
}

function reference(source: Source, variable: string, { exported, call }: DeclarationCall): DeclarationRef {
  const binding = source.module.bindings.get(variable);
  const at = placeOf(source, binding?.kind === "variable" ? binding.node.id : call.callee);
  return { module: source.module.path, variable, exported, at };
}
