import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Bucket, type BucketDeclaration } from "../../declare/bucket.ts";
import type { Context } from "../../declare/context.ts";
import { HOST } from "../../declare/slot.ts";
import type { Clock } from "../../platform/contract.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import { createApplication } from "../create-application.ts";
import type { RawRequest } from "../decode/raw-request.ts";
import { definitionsOf } from "../definitions.ts";
import type { HandlerOptions } from "../options.ts";
import type { ServerTimes } from "../server.ts";
import { apis, bundleOf, start, type TestApp } from "./app.ts";
import { settings } from "../settings.ts";

/** An application with a bucket, and a way to run code in a request's context. */
export interface BucketApp {
  readonly app: TestApp;
  readonly photos: BucketDeclaration;
  readonly platform: LocalPlatform;
  readonly run: <T>(work: (ctx: Context) => T | Promise<T>) => Promise<T>;
  /** Lists the files that contain objects' bytes. */
  readonly files: () => Promise<string[]>;
}

type Handlers = Readonly<Record<string, (ctx: Context, request: RawRequest) => unknown>>;

/** Serves the bucket `photos` on a new data directory. */
export async function bucketApp({
  clock,
  handlers,
  times,
  ...options
}: Partial<HandlerOptions> & {
  readonly clock?: Clock;
  readonly handlers?: (photos: BucketDeclaration) => Handlers;
  readonly times?: Partial<ServerTimes>;
} = {}): Promise<BucketApp> {
  const photos = Bucket("photos");
  const buckets = [{ declaration: photos, name: "photos" }];
  const directory = await mkdtemp(join(tmpdir(), "fw-bucket-"));
  const platform = await openLocal(directory, definitionsOf({ buckets }), { temporary: true, ...(clock && { clock }) });
  const bundle = { ...bundleOf(apis(handlers?.(photos) ?? {})), buckets };
  const { host } = createApplication(bundle, { settings: settings.test, platform });
  const ctx = { [HOST]: host, requestId: "r1" } as unknown as Context;
  const app = await start(bundle, { platform, ...options }, times);
  onTestFinished(async () => {
    await app.close();
    await platform.close();
    await rm(directory, { recursive: true });
  });
  return {
    app,
    photos,
    platform,
    files: () => readdir(join(directory, "objects")),
    run: async (work) => work(ctx),
  };
}
