import { StatusError } from "../declare/errors.ts";
import type { JobDeclaration } from "../declare/job.ts";
import { jsonBytes } from "../lib/limits.ts";
import type { Dispatcher } from "../platform/messages.ts";
import { requirePlatform } from "../runtime/background/caller.ts";
import { decodeMessage } from "../runtime/background/codec.ts";
import { readBody } from "../runtime/body/body.ts";
import { messages } from "../runtime/messages.ts";
import type { Request } from "../runtime/request.ts";
import { sendText } from "../runtime/response/reply.ts";
import type { InjectedEndpoint, InjectedEndpoints } from "../runtime/routing/injected.ts";

/** What commands of the same user ask of the dev server; each call carries a token that only they can make. */
export const operations: InjectedEndpoints = {
  "dev/operate/jobs/": operation(startJob),
  "dev/operate/idle": operation(waitUntilIdle),
  "dev/operate/dead": operation(listDead),
  "dev/operate/replay": operation(replayDead),
};

/** Answers with what `work` makes, as JSON. */
function operation(work: (request: Request, rest: string) => Promise<unknown>): InjectedEndpoint {
  return {
    methods: ["POST"],
    async handle(request, rest) {
      const { app, req, requestId } = request;
      await requirePlatform(req.headers, app.caller, app.log, { handler: `operate ${rest}`, requestId });
      const answer = JSON.stringify((await work(request, rest)) ?? null);
      sendText(request, 200, "application/json", ["Cache-Control", "no-store"], answer);
    },
  };
}

/** The body is the JSON of the arguments; answers the id of the run. */
async function startJob(request: Request, name: string): Promise<unknown> {
  const { app } = request;
  const job = app.bundle.carriers?.find((carrier) => carrier.kind === "job" && carrier.name === name);
  if (job === undefined) throw new StatusError(404, messages.notFound);
  const text = (await readBody(request, jsonBytes)).toString() || "null";
  return { run: await app.host.messages.start(request, job.declaration as JobDeclaration, decoded(job, text)) };
}

function decoded(job: Parameters<typeof decodeMessage>[0], text: string): unknown {
  try {
    return decodeMessage(job, text);
  } catch (error) {
    throw error instanceof SyntaxError ? new StatusError(400, messages.invalidJSON) : error;
  }
}

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
