import { post } from "../../lib/post.ts";
import { devCall, findRunning, type Running } from "../../workspace/running.ts";
import { CallSigner } from "../../platform/call-signer.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";

/** A dev server that a command works with. */
export interface Server {
  /** True where it runs only for this command. */
  readonly temporary: boolean;
  readonly port: number;
  /** Posts to a path below `/_fw/`; answers status and JSON, or text. */
  readonly post: (path: string, body?: string) => Promise<Answer>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Milliseconds within which a dev server answers. */
const answerMs = 60_000;

/** Works with the dev server of the application, or with one that runs meanwhile. */
export async function withServer<T>(root: string, io: IO, work: (server: Server) => Promise<T>): Promise<T> {
  const server = await answeringServer(root);
  return server === undefined ? withTemporary(root, io, work) : work(server);
}

/** The dev server of the application, where one is running. */
export async function answeringServer(root: string): Promise<Server | undefined> {
  const running = findRunning(root);
  return running !== undefined && (await answers(running)) ? serverOf(running, false) : undefined;
}

async function withTemporary<T>(root: string, io: IO, work: (server: Server) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const done = io.onStop(() => ending.abort());
  try {
    const { startQuietly } = await import("../dev/quiet.ts");
    const server = await startQuietly(root, io, ending.signal);
    const running = findRunning(root);
    if (running?.pid !== process.pid) throw new Refusal(`the application does not start; "fw dev" shows why`);
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

async function answers({ host, port }: Running): Promise<boolean> {
  try {
    await fetch(`${addressOf(host, port)}/_fw/z/`, { signal: AbortSignal.timeout(answerMs) });
    return true;
  } catch {
    return false;
  }
}

function serverOf({ host, port, callKey }: Running, temporary: boolean): Server {
  const signer = new CallSigner(devCall.invoker, callKey);
  return {
    temporary,
    port,
    async post(path, body = "") {
      const { status, type, text } = await post(`${addressOf(host, port)}/_fw/${path}`, {
        headers: { authorization: `Bearer ${signer.tokenFor(devCall.audience)}`, "content-type": "application/json" },
        body,
      });
      return { status, body: type.includes("json") ? (JSON.parse(text) as unknown) : text };
    },
  };
}

function addressOf(host: string, port: number): string {
  return `http://${host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host}:${port}`;
}

/** The sentence of a refusal, as a refusal of the command. */
export function refusalOf({ status, body }: Answer): Refusal {
  const sentence = typeof body === "object" && body !== null ? (body as { error?: unknown }).error : body;
  return new Refusal(typeof sentence === "string" && sentence !== "" ? sentence : `the dev server answered ${status}`);
}
