import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { cloudAttemptMs } from "../../../lib/limits.ts";
import type { CloudConnection } from "../../../deploy/connect.ts";
import { marksOfBegin } from "./application.ts";

/** Runs `fw` with arguments in the application's directory. */
export type RunFw = (...argv: readonly string[]) => Promise<{ readonly code: number; readonly output: string }>;

interface CommandResult {
  readonly result?: string;
  readonly steps?: readonly object[];
  readonly services?: readonly { readonly service: string; readonly url: string }[];
}

/** The maximum wait for messages, jobs and logs to arrive, in milliseconds. */
const patienceMs = 300_000;
const pauseMs = 2_000;

/** A check. If it fails, `run` rejects with the output or the reason. */
export interface Check {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/**
 * Returns the checks of the self-check, in order. The last two, which remove the application, run even after a failure.
 */
export function checksOf(fw: RunFw, { connections, hosts }: CloudConnection, confirm: string): readonly Check[] {
  let address = "";
  const ask = async (
    method: "GET" | "POST",
    path: string,
    base = address,
  ): Promise<{ status: number; body: string }> => {
    const target = hosts(new URL(base));
    const headers: Readonly<Record<string, string>> = method === "POST" ? { "content-length": "0" } : {};
    const answer = await connections.send({ target, method, path, headers, answerMs: cloudAttemptMs });
    return { status: answer.status, body: await text(answer.body) };
  };
  const expectMark = (kind: string): Promise<void> =>
    eventually(`the mark of the ${kind}`, async () => (await ask("GET", `/marks/${kind}`)).body === `{"count":1}`);
  return [
    {
      name: "deploy to an empty project",
      run: async () => {
        const { services = [] } = await expectResult(fw, "done", "deploy", "--yes", "--json");
        address = services.find(({ service }) => service === "check")?.url ?? "";
      },
    },
    {
      name: "a second deploy has nothing to do",
      run: async () => void (await expectResult(fw, "unchanged", "deploy", "--yes", "--json")),
    },
    { name: "status reports no drift", run: () => expectSuccess(fw, "status") },
    {
      name: "an endpoint sends, publishes, writes an object, starts a job and calls a private service",
      run: async () => {
        const answer = await ask("POST", "/begin");
        if (answer.body !== `{"grams":7}`) throw new Error(`POST /begin: ${answer.status} ${answer.body}`);
      },
    },
    ...marksOfBegin.map((kind) => ({
      name: `the ${kind} is delivered, and its handler writes`,
      run: () => expectMark(kind),
    })),
    {
      name: "Cloud Scheduler triggers the cron",
      run: async () => {
        await expectSuccess(fw, "run", "cron", "nightly");
        await expectMark("cron");
      },
    },
    {
      name: "Cloud Run rejects an unauthenticated call to the private service",
      run: async () => {
        const { status } = await ask("GET", "/weight", address.replace(/-check-(\d+)\./, "-scale-$1."));
        if (status !== 403) throw new Error(`GET /weight: ${status} instead of 403`);
      },
    },
    {
      name: "logs are read",
      run: () =>
        eventually("the line of the cron", async () =>
          (await fw("logs", "check")).output.includes("the cron of the self-check ran"),
        ),
    },
    {
      name: "destroy removes everything",
      run: async () => {
        const { result, steps = [], output } = await resultOf(fw, "destroy", "--data", "--confirm", confirm, "--json");
        // A deploy that was refused before it wrote anything leaves nothing to destroy.
        if (result !== "done" && (result !== "planned" || steps.length > 0)) throw new Error(output);
      },
    },
    {
      name: "no resource of the application is left",
      run: async () => {
        const { steps = [] } = await expectResult(fw, "planned", "destroy", "--data", "--dry-run", "--json");
        if (steps.length > 0) throw new Error(JSON.stringify(steps));
      },
    },
  ];
}

async function expectResult(fw: RunFw, expected: string, ...argv: readonly string[]): Promise<CommandResult> {
  const outcome = await resultOf(fw, ...argv);
  if (outcome.result !== expected) throw new Error(outcome.output);
  return outcome;
}

/**
 * Runs a command and parses the JSON that it prints after its progress lines. Without JSON, returns only the output.
 */
async function resultOf(fw: RunFw, ...argv: readonly string[]): Promise<CommandResult & { readonly output: string }> {
  const { output } = await fw(...argv);
  try {
    return { ...(JSON.parse(output.slice(Math.max(0, output.indexOf("{")))) as CommandResult), output };
  } catch {
    return { output };
  }
}

async function expectSuccess(fw: RunFw, ...argv: readonly string[]): Promise<void> {
  const { code, output } = await fw(...argv);
  if (code !== 0) throw new Error(output);
}

async function eventually(event: string, isDone: () => Promise<boolean>): Promise<void> {
  const since = Date.now();
  while (!(await isDone())) {
    if (Date.now() - since > patienceMs)
      throw new Error(`${event} did not arrive within ${patienceMs / 60_000} minutes`);
    await setTimeout(pauseMs);
  }
}
