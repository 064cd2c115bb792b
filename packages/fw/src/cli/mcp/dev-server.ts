import { maskJSON } from "../../lib/mask-secrets.ts";
import { post } from "../../lib/post.ts";
import { devServerOf } from "../../workspace/announcement.ts";
import { addressOf } from "../run/answers.ts";
import { ToolFailure, type Tool, type ToolContext } from "./tool.ts";

/** The timeout for loading the console's page, in milliseconds. Operations have none: a cron or a job may take long. */
const pageMs = 60_000;

export function consoleTool(name: string, operation: string, description: string, fields: Tool["arguments"]): Tool {
  return {
    name,
    description,
    arguments: fields,
    run: async (values, context) => formatAnswer(await askConsole(operation, values, context)),
  };
}

export function formatAnswer(answer: unknown): string {
  return JSON.stringify(answer, undefined, 2);
}

/**
 * Runs an operation of the console of the application's dev server. Throws a ToolFailure if no server runs or the
 * server refuses. Masks credentials in the response by their names; the server itself removes the values of secrets.
 */
export async function askConsole(operation: string, body: object, { root, signal }: ToolContext): Promise<unknown> {
  const server = devServerOf(root).find();
  const page = server === undefined ? undefined : `${addressOf(server)}/_fw/console`;
  const token = page === undefined ? undefined : await pageToken(page, signal);
  if (token === undefined)
    throw new ToolFailure(
      "the application is not running; start it with `fw dev` (or `fw dev --services`) and try again",
    );
  const headers = { "x-fw-console": token, "x-fw-agent": "1" };
  const { status, text } = await post(`${page}/api/${operation}`, { headers, body: JSON.stringify(body), signal });
  const answer = JSON.parse(maskJSON(text)) as { readonly error?: string } | null;
  if (status === 200) return answer;
  throw new ToolFailure(answer?.error ?? `the console responded with ${status}`);
}

/** Reads the token from the head of the console's page; undefined if no server responds, for example after a kill. */
async function pageToken(page: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(page, { signal: AbortSignal.any([signal, AbortSignal.timeout(pageMs)]) });
    return /<meta name="fw-console" content="([^"]+)">/.exec(await response.text())?.[1];
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
