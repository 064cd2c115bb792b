import { jsonBytes } from "../lib/limits.ts";
import type { Dispatcher } from "../platform/messages.ts";
import { operation } from "../runtime/background/operation.ts";
import { jobOperation } from "../runtime/background/start-job.ts";
import { readBody } from "../runtime/body/body.ts";
import type { Request } from "../runtime/request.ts";
import type { InjectedEndpoints } from "../runtime/routing/injected.ts";

/** What commands of the same user ask of the dev server; each call carries a token that only they can make. */
export const operations: InjectedEndpoints = {
  ...jobOperation,
  "dev/operate/idle": operation(waitUntilIdle),
  "dev/operate/dead": operation(listDead),
  "dev/operate/replay": operation(replayDead),
};

async function waitUntilIdle(request: Request): Promise<void> {
  await dispatcherOf(request)?.idle();
}

/** The newest dead messages that the dev server has, at most 1,000. */
async function listDead(request: Request): Promise<unknown> {
  return (await dispatcherOf(request)?.dead({ limit: 1000 })) ?? [];
}

/** The body names the message and its receiver. */
async function replayDead(request: Request): Promise<unknown> {
  const body = JSON.parse((await readBody(request, jsonBytes)).toString()) as { receiver: string; id: string };
  return { replayed: (await dispatcherOf(request)?.replay(body.receiver, body.id)) ?? false };
}

function dispatcherOf({ app }: Request): Dispatcher | undefined {
  return app.platform?.dispatcher;
}
