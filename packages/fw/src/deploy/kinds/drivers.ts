import type { Api } from "../../platform/gcp/rest/endpoints.ts";
import type { Driver, Stage } from "../driver.ts";
import type { Kind } from "../resource.ts";
import { api } from "./api.ts";
import { bucket } from "./bucket.ts";
import { database } from "./database.ts";
import { domain } from "./domain.ts";
import { fieldIndexes } from "./field-indexes.ts";
import { grants } from "./grants.ts";
import { image } from "./image.ts";
import { imageRepository } from "./image-repository.ts";
import { index } from "./index.ts";
import { job } from "./job.ts";
import { metric } from "./metric.ts";
import { alert, channel, dashboard } from "./monitored.ts";
import { notification } from "./notification.ts";
import { queue } from "./queue.ts";
import { schedule } from "./schedule.ts";
import { serviceAccount } from "./service-account.ts";
import { service } from "./service.ts";
import { signIn } from "./sign-in.ts";
import { subscription, topic } from "./pubsub.ts";
import { timeToLive } from "./time-to-live.ts";
import { traffic } from "./traffic.ts";

const drivers: Readonly<Record<Kind, Driver>> = {
  alert,
  api,
  bucket,
  channel,
  dashboard,
  database,
  domain,
  "field-indexes": fieldIndexes,
  grants,
  image,
  "image-repository": imageRepository,
  index,
  job,
  metric,
  notification,
  queue,
  schedule,
  service,
  "service-account": serviceAccount,
  "sign-in": signIn,
  subscription,
  "time-to-live": timeToLive,
  topic,
  traffic,
};

export function driverOf(kind: Kind): Driver {
  return drivers[kind];
}

/** Returns the API that manages a resource. */
export function apiOf({ kind, id }: { readonly kind: Kind; readonly id: string }): Api {
  const { api } = drivers[kind];
  return typeof api === "function" ? api(id) : api;
}

export function stageOf({ kind, id }: { readonly kind: Kind; readonly id: string }): Stage {
  const { stage } = drivers[kind];
  return typeof stage === "function" ? stage(id) : stage;
}

/** True if deleting the resource would lose data. */
export function keepsData({ kind, id }: { readonly kind: Kind; readonly id: string }): boolean {
  const { keepsData: keeps = false } = drivers[kind];
  return typeof keeps === "function" ? keeps(id) : keeps;
}

/** The kinds whose resources are removed when no longer declared. */
export const prunable: readonly Kind[] = (Object.keys(drivers) as Kind[]).filter(
  (kind) => drivers[kind].remove !== undefined,
);
