import { API, blob, Bucket, Counter, Cron, Entity, Job, Queue, Runner, Subscribe, Topic, Worker } from "fw";
import type { ID, Index, Path } from "fw";
import { weigh } from "../scale/scale.ts";

export interface Mark {
  id: ID;
  kind: Index<string>;
  at: Index<Date>;
}

export const marks = Entity<Mark>("marks");
export const tasks = Queue<{ kind: string }>("tasks");
export const news = Topic<{ kind: string }>("news");
export const files = Bucket("files");
export const rebuild = Job<{ kind: string }>("rebuild");
export const checks = Counter("checks");

export const root = API("GET /", (): { ready: boolean } => ({ ready: true }));

export const begin = API("POST /begin", async (ctx): Promise<{ grams: number }> => {
  checks.add(ctx, 1);
  await tasks.send(ctx, { kind: "queue" });
  await news.publish(ctx, { kind: "topic" });
  await files.put(ctx, "note.txt", blob("hello", { type: "text/plain" }));
  await rebuild.start(ctx, { kind: "job" });
  return weigh.call(ctx, {});
});

export const count = API("GET /marks/{kind}", async (ctx, { kind }: { kind: Path }): Promise<{ count: number }> => {
  const all = await marks.query().where("kind", "==", kind).orderBy("at").all(ctx);
  return { count: all.length };
});

export const onTask = Worker(tasks, async (ctx, { kind }) => {
  await marks.create(ctx, { kind, at: ctx.now() });
});

export const onNews = Subscribe(news, async (ctx, { kind }) => {
  await marks.create(ctx, { kind, at: ctx.now() });
});

export const onFile = Subscribe(files.uploaded, async (ctx, { key }) => {
  const { size } = await files.get(ctx, key);
  if (size === 5) await marks.create(ctx, { kind: "upload", at: ctx.now() });
});

export const onRebuild = Runner(rebuild, async (ctx, { kind }) => {
  await marks.create(ctx, { kind, at: ctx.now() });
});

export const nightly = Cron("nightly", "0 4 * * *", async (ctx) => {
  ctx.log.info("the cron of the self-check ran");
  await marks.create(ctx, { kind: "cron", at: ctx.now() });
});
