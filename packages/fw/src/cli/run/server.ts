import { post } from "../../lib/post.ts";
import { devCall, devServerOf, type RunningServer } from "../../workspace/announcement.ts";
import { CallSigner } from "../../platform/call-signer.ts";
import { Refusal } from "../command.ts";
import type { LocalPlace } from "../data/local-or-deployed.ts";
import type { IO } from "../io.ts";
import { addressOf, answers } from "./answers.ts";

export interface Server {
  /** True if it runs only for this command. */
  readonly temporary: boolean;
  readonly port: number;
  /** Posts to a path below `/_fw/`. Resolves with the status, and the body as JSON or text. */
  readonly post: (path: string, body?: string) => Promise<Answer>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Runs work with the running server, or with a temporary dev server for the application in the current directory. */
export async function withServer<T>(place: LocalPlace, io: IO, work: (server: Server) => Promise<T>): Promise<T> {
  const server = await answeringServer(place);
  if (server !== undefined) return work(server);
  if (place.root !== undefined) return withTemporary(place.root, io, work);
  throw new Refusal(`no server is running on the data in ${place.directory}: start one with fw serve`);
}

/** Finds the `fw serve` that runs on the data, or the dev server of the application that owns it, if that responds. */
export async function answeringServer({ root, serving }: LocalPlace): Promise<Server | undefined> {
  if (serving !== undefined) return serverOf(serving, false);
  const running = root === undefined ? undefined : devServerOf(root).find();
  return running !== undefined && (await answers(running)) ? serverOf(running, false) : undefined;
}

async function withTemporary<T>(root: string, io: IO, work: (server: Server) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const done = io.onStop(() => ending.abort());
  try {
    const { startQuietly } = await import("../dev/quiet.ts");
    const server = await startQuietly(root, io, ending.signal);
    const running = devServerOf(root).find();
    if (running?.pid !== process.pid)
      throw new Refusal(`the application does not start; run "fw dev" to see the reason`);
    try {
      return await work(serverOf(running, true));
    } finally {
      await server.stop();
    }
  } finally {
    ending.abort();
    done();
  }
}

function serverOf(running: RunningServer, temporary: boolean): Server {
  const signer = new CallSigner(devCall.invoker, running.callKey);
  return {
    temporary,
    port: running.port,
    async post(path, body = "") {
      const { status, type, text } = await post(`${addressOf(running)}/_fw/${path}`, {
        headers: { authorization: `Bearer ${signer.tokenFor(devCall.audience)}`, "content-type": "application/json" },
        body,
      });
      return { status, body: type.includes("json") ? (JSON.parse(text) as unknown) : text };
    },
  };
}

/** Converts an error response of the server to a Refusal. */
export function refusalOf({ status, body }: Answer): Refusal {
  const sentence = typeof body === "object" && body !== null ? (body as { error?: unknown }).error : body;
  return new Refusal(
    typeof sentence === "string" && sentence !== "" ? sentence : `the server responded with ${status}`,
  );
}
