import type { Context } from "../../declare/context.ts";
import { isReply } from "../../declare/reply.ts";
import { exactText } from "../../lib/exact-text.ts";
import { asError } from "../../lib/thrown.ts";
import type { Application } from "../application.ts";
import type { BundledTool, CallCodec } from "../bundle.ts";
import { callInProcess } from "../calls/in-process.ts";
import { outsideTransaction } from "../calls/origin.ts";
import { usesRemotes } from "../capabilities.ts";
import { Fault } from "../../declare/errors.ts";
import { messages } from "../error-messages.ts";
import { errorText, refusalOf } from "../response/refusal.ts";
import type { Members } from "./protocol.ts";
import { toolRequest } from "./tool-request.ts";

export interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: object;
  readonly isError?: true;
}

/**
 * Calls an API for a client: through its gate, its policy and its decoder, in this process or in its service. Errors
 * that clients may see become results, from which a model can correct its call. Throws the 401 of a gate,
 * because the client has to send a token.
 */
export async function callTool(
  app: Application,
  ctx: Context,
  tool: BundledTool,
  values: Members,
): Promise<ToolResult> {
  try {
    return toolResult(tool, await callAPI(app, ctx, tool, values));
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.status === 401 && ctx.maybeUser() === undefined) throw error;
    if (refusal !== undefined) return failure(errorText(refusal.message, refusal.detailsText));
    ctx.signal.throwIfAborted();
    const { cause, message } = asError(error);
    // The log of the API in this process has the cause already.
    ctx.log.error("the tool failed", { tool: tool.definition.name, error: cause === undefined ? error : message });
    return failure(errorText(messages.internalWithId(ctx.requestId), undefined));
  }
}

async function callAPI(app: Application, ctx: Context, tool: BundledTool, values: Members): Promise<unknown> {
  const codec: Omit<CallCodec, "exactIntegers"> = {
    encode: () => toolRequest(tool, values),
    // Results stay JSON.
    decode: (value) => value,
    decodeReply: (value) => value,
  };
  const outer = outsideTransaction(ctx);
  const endpoint = app.endpoints.get(tool.declaration);
  if (endpoint !== undefined)
    return callInProcess(app, { ...endpoint, call: { ...codec, exactIntegers: true } }, outer, undefined);
  const remote = app.remotes.get(tool.declaration);
  if (!usesRemotes || remote === undefined)
    throw new Fault(`${tool.declaration.route} is not part of this application`);
  const { callRemote } = await import("../remote/remote.ts");
  return callRemote(app, { ...remote, ...codec }, outer, undefined);
}

function toolResult({ wrapsResult }: BundledTool, result: unknown): ToolResult {
  const { body, status = 200 } = isReply(result) ? result : { body: result };
  const text = body === undefined ? undefined : exactText(body);
  if (status >= 400) return failure(text ?? "");
  const content = text === undefined ? [] : [{ type: "text" as const, text }];
  if (wrapsResult) return { content, structuredContent: body === undefined ? {} : { result: body } };
  return { content, ...(typeof body === "object" && body !== null && { structuredContent: body }) };
}

function failure(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
