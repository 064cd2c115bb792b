import type { Context } from "../../declare/context.ts";
import { isReply } from "../../declare/reply.ts";
import { exactText } from "../../lib/exact-text.ts";
import { asError } from "../../lib/thrown.ts";
import type { Application } from "../application.ts";
import type { BundledTool, CallCodec, RemoteRequest } from "../bundle.ts";
import { callInProcess } from "../calls/in-process.ts";
import { outsideTransaction } from "../calls/origin.ts";
import { usesRemotes } from "../capabilities.ts";
import { Fault } from "../../declare/errors.ts";
import { messages } from "../error-messages.ts";
import { errorText, refusalOf } from "../response/refusal.ts";
import type { Members } from "./protocol.ts";
import { jsonDepth, mostProblems } from "../../lib/limits.ts";
import { BadInput } from "../decode/bad-input.ts";
import { callPathBytes } from "../remote/name.ts";
import { formFields, pathText, wireFields } from "../remote/request-text.ts";
import { notArgument, toolPath, unknownArgument } from "./texts.ts";

export interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: object;
  readonly isError?: true;
}

/**
 * Calls an API for a client, through its gate, policy and decoder, in this process or in its service. Errors that
 * clients may see become results, so a model can correct its call. Throws the 401 of a gate, because the client must
 * send a token.
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
    // If the API ran in this process, its log already contains the cause.
    ctx.log.error("the tool failed", { tool: tool.definition.name, error: cause === undefined ? error : message });
    return failure(errorText(messages.internalWithId(ctx.requestId), undefined));
  }
}

async function callAPI(app: Application, ctx: Context, tool: BundledTool, values: Members): Promise<unknown> {
  const codec: Omit<CallCodec, "exactIntegers"> = {
    encode: () => toolRequest(tool, values),
    // Leave results as JSON.
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

/** A value that can be sent in a path, query, header, cookie or form. */
type Text = string | number | bigint | boolean;

/**
 * Converts the arguments of a tool to a request to its API, which decodes and checks it as if it had arrived over HTTP.
 * Throws a BadInput for arguments that no request can represent.
 */
function toolRequest(tool: BundledTool, values: Members): RemoteRequest {
  refuseUnknown(tool, values);
  if (isTooDeep(values)) throw new BadInput(messages.deepJSON);
  const textsOf = (name: string): Text | readonly Text[] | undefined => textsIn(name, argumentOf(values, name));
  const fieldsFrom = (source: string): [string, Text | readonly Text[] | undefined][] =>
    tool.fields.filter((field) => field[1] === source).map(([name, , wire]) => [wire, textsOf(name)]);
  const segments = tool.path.map((segment) => (typeof segment === "string" ? segment : parameter(segment[0], values)));
  const path = pathText(segments, fieldsFrom("query"));
  if (path.length > callPathBytes) throw new BadInput(toolPath(callPathBytes));
  return {
    path,
    ...(tool.body !== undefined && { json: bodyText(tool.body, values) }),
    ...(tool.carriesForm && { form: formFields(fieldsFrom("form")) as RemoteRequest["form"] }),
    fields: wireFields({ header: fieldsFrom("header"), cookie: fieldsFrom("cookie") }),
  };
}

function argumentOf(values: Members, name: string): unknown {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return value ?? undefined;
}

/** Throws a BadInput with the unknown arguments, because a model would not notice that they are ignored. */
function refuseUnknown({ path, fields, body = [] }: BundledTool, values: Members): void {
  const names = new Set([
    ...path.flatMap((segment) => (typeof segment === "string" ? [] : segment)),
    ...fields.map(([name]) => name),
    ...(typeof body === "string" ? [body] : body),
  ]);
  const problems = Object.keys(values)
    .filter((name) => !names.has(name))
    .map((name) => ({ at: `argument ${name}`, problem: unknownArgument([...names]) }));
  const [first] = problems;
  if (first) throw new BadInput(`${first.at}: ${first.problem}`, { problems: problems.slice(0, mostProblems) });
}

function parameter(name: string, values: Members): Text {
  const value = textsIn(name, argumentOf(values, name));
  if (value === undefined || value === "") throw new BadInput(messages.required(`argument ${name}`));
  if (typeof value === "object") throw notText(name);
  return value;
}

function textsIn(name: string, value: unknown): Text | readonly Text[] | undefined {
  if (value === undefined || isText(value)) return value;
  if (Array.isArray(value) && value.every(isText)) return value;
  throw notText(name);
}

function notText(name: string): BadInput {
  return new BadInput(`argument ${name}: ${notArgument}`);
}

function isText(value: unknown): value is Text {
  // Half a surrogate pair cannot be percent-encoded.
  if (typeof value === "string") return !/\p{Surrogate}/u.test(value);
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
}

function bodyText(body: readonly string[] | string, values: Members): string | undefined {
  if (typeof body === "string") return exactText(Object.hasOwn(values, body) ? values[body] : undefined);
  const own = body.filter((name) => Object.hasOwn(values, name)).map((name) => [name, values[name]] as const);
  return exactText(Object.fromEntries(own));
}

/** True if lists and objects are nested more deeply than any body may be. */
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= jsonDepth; depth += 1) {
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}
