import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Definitions } from "../contract.ts";
import type { Destination } from "../messages.ts";
import { openLocal } from "../local/open.ts";

/** The results of a soak test. */
export interface SoakReport {
  /** The number of messages acknowledged to their sender. */
  readonly sent: number;
  /** The number of acknowledged messages that were not handled and are not dead letters. */
  readonly lost: number;
  /** The number of times that a message was handled again. */
  readonly duplicates: number;
  readonly dead: number;
  readonly milliseconds: number;
}

const destination: Destination = { kind: "queue", name: "emails" };

const definitions: Definitions = {
  kinds: [],
  consumers: [
    {
      id: "mail-send",
      destination,
      delivery: { maxAttempts: 100, minBackoff: 5, maxBackoff: 50, deadline: 60_000, concurrency: 16 },
    },
  ],
};

const child: string = fileURLToPath(new URL("soak-child.mjs", import.meta.url));

/** Sends and delivers messages in a process that is repeatedly killed with SIGKILL and restarted. */
export async function soak(messages: number, kills: number, platformModule: string): Promise<SoakReport> {
  const directory = await mkdtemp(join(tmpdir(), "fw-soak-"));
  const log = join(directory, "log");
  const data = join(directory, "data");
  const started = performance.now();
  let sent = new Set<string>();
  for (let kill = 0; kill <= kills; kill++) {
    const last = kill === kills;
    const batchSize = last ? messages - sent.size : Math.ceil(messages / (kills + 1));
    const process = fork(child, [
      platformModule,
      data,
      log,
      JSON.stringify(definitions),
      JSON.stringify(destination),
      `${Math.max(0, batchSize)}`,
    ]);
    await (last ? untilIdle(process) : killAfter(process, Math.ceil(batchSize * (0.1 + 0.8 * Math.random()))));
    sent = new Set((await entries(log)).sent);
  }
  const milliseconds = performance.now() - started;
  const { handled } = await entries(log);
  const dead = await deadIds(data);
  await rm(directory, { recursive: true });
  const finished = new Set([...handled, ...dead]);
  return {
    sent: sent.size,
    lost: [...sent].filter((id) => !finished.has(id)).length,
    duplicates: handled.length - new Set(handled).size,
    dead: dead.length,
    milliseconds,
  };
}

/** Kills the process once it has handled this many messages or has none left. */
function killAfter(process: ChildProcess, handled: number): Promise<void> {
  return untilGone(process, (message) => {
    if (message === "idle" || Number(message) >= handled) process.kill("SIGKILL");
  });
}

function untilIdle(process: ChildProcess): Promise<void> {
  return untilGone(process, (message) => {
    if (message === "idle") process.kill("SIGKILL");
  });
}

/** Resolves when the process has been killed. */
function untilGone(process: ChildProcess, hear: (message: unknown) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    process.on("message", hear);
    process.on("error", reject);
    process.on("close", (code, signal) =>
      signal === "SIGKILL" ? resolve() : reject(new Error(`the process ended with ${code}`)),
    );
  });
}

/** Returns the ids in a log. */
async function entries(log: string): Promise<{ readonly sent: string[]; readonly handled: string[] }> {
  const lines = (await readFile(log, "utf8")).split("\n");
  const named = (word: string): string[] =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  return { sent: named("sent"), handled: named("handled") };
}

async function deadIds(data: string): Promise<string[]> {
  const platform = await openLocal(data, definitions);
  const dead = await platform.dispatcher.dead({ limit: 10_000 });
  await platform.close();
  return dead.map(({ id }) => id);
}
