import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import inspector from "node:inspector";
import type { Socket } from "node:net";
import { endStage } from "../../lib/dev-stage.ts";
import { outliveReaders } from "../../lib/reader-gone.ts";
import type { Failure, FromChild, Inspect, ToChild } from "../protocol.ts";
import { AppServer } from "./app-server.ts";
import { Evaluator } from "./evaluator.ts";
import { failureOf } from "./failure.ts";
import { warmTransformer } from "./transform.ts";

/**
 * The maximum bytes of bytecode of a function that the engine optimizes. Each save reruns module functions, so the
 * engine considers them hot. In a large application, optimizing the function that lists all endpoints costs seconds on
 * another thread and 170 MB that are never freed, and makes it no faster.
 */
const largestOptimized = 10_000;

// The process that runs the application in the dev loop. Starts as a standby and follows the messages of its parent.
setFlagsFromString(`--max-optimized-bytecode-size=${largestOptimized}`);
endWithParent();
outliveReaders();
// Ctrl-C reaches every process in the terminal; only the parent reacts.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});

let root = process.cwd();
let server: AppServer | undefined;
let evaluator: Evaluator | undefined;
const loads = new Map<number, AbortController>();

process.on("message", (message: ToChild, handle: unknown) => {
  if (message.type === "connection") connection(message.id, handle as Socket | undefined);
  else if (message.type === "load") void load(message);
  else if (message.type === "cancel") loads.get(message.id)?.abort(new Error("the load is cancelled"));
  else if (message.type === "prepare") prepare(message);
  else if (message.type === "ahead") evaluator?.ahead(message.changed);
  else if (message.type === "state") server?.publish(message.state);
  else if (message.type === "ping") send({ type: "pong", id: message.id });
  else if (message.type === "drain") void drain();
  else activate(message);
});

for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (thrown: unknown) => {
    const failure = crashOf(event, failureOf(thrown, root));
    server?.log.crashed(failure.stack ?? failure.message);
    // Exits after the message is sent, because process.exit does not flush IPC messages.
    process.send?.({ type: "crashed", failure } satisfies FromChild, () => process.exit(1));
  });
}

await warmTransformer();
send({ type: "ready" });

/** Adds a hint to an unhandled rejection, which usually lacks an `await`. */
function crashOf(event: "uncaughtException" | "unhandledRejection", failure: Failure): Failure {
  if (event === "uncaughtException" || failure.outside) return failure;
  return { ...failure, message: `${failure.message}; nothing awaits this promise: write await before its call` };
}

function connection(id: number, socket: Socket | undefined): void {
  server?.connection(socket);
  send({ type: "accepted", id });
}

/** Prepares modules. Not used for a process that a debugger will attach to. */
function prepare(message: Extract<ToChild, { type: "prepare" }>): void {
  evaluator ??= new Evaluator(message.root, false);
  evaluator.prepare(message);
}

function activate(message: Extract<ToChild, { type: "activate" }>): void {
  root = message.root;
  Object.assign(process.env, message.env);
  process.env.NODE_ENV ??= "development";
  server = new AppServer(message, message.replaces);
  evaluator ??= new Evaluator(root, message.inspect !== undefined);
  if (message.inspect) attachInspector(message.inspect);
}

/** Opens the debugger's port in the process that will run the application. */
function attachInspector({ host, port, wait }: Inspect): void {
  try {
    inspector.open(port, host);
  } catch (error) {
    process.stderr.write(`The debugger cannot listen on ${host}:${port}: ${(error as Error).message}\n`);
    return;
  }
  if (wait) inspector.waitForDebugger();
}

async function load({ id, build, delta }: Extract<ToChild, { type: "load" }>): Promise<void> {
  endStage("receive");
  const ending = new AbortController();
  loads.set(id, ending);
  try {
    const loaded = await evaluator?.load(delta, ending.signal);
    if (loaded === undefined) return;
    endStage("evaluate");
    send({ type: "evaluated", id });
    await server?.use(loaded.bundle, build, ending.signal);
    endStage("swap");
    loaded.commit();
    send({ type: "loaded", id, evaluated: loaded.evaluated });
  } catch (thrown) {
    send({ type: "failed", id, failure: failureOf(thrown, root) });
  } finally {
    loads.delete(id);
  }
}

async function drain(): Promise<void> {
  await server?.drain();
  process.exit(0);
}

function send(message: FromChild): void {
  process.send?.(message);
}

/**
 * Kills this process when its parent is gone: descriptor 4 closes with the parent. Works even while the application's
 * code blocks the main thread.
 */
function endWithParent(): void {
  process.once("disconnect", () => process.exit(0));
  const worker = new Worker(
    `
    const { Socket } = require("node:net");
    const pipe = new Socket({ fd: 4, readable: true, writable: false });
    pipe.on("error", () => {}).on("close", () => process.kill(process.pid, "SIGKILL")).resume();
  `,
    { eval: true, execArgv: [], env: {} },
  );
  worker.unref();
  worker.on("error", () => {});
}
