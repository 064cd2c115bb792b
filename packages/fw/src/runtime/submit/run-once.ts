import { setTimeout as delay } from "node:timers/promises";
import type { Context } from "../../declare/context.ts";
import { isStatusError, StatusError } from "../../declare/errors.ts";
import { isReply, reply, type Reply } from "../../declare/reply.ts";
import type { Key, Platform } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { lifetimeOf, type Lifetime } from "../../platform/lifetime.ts";
import { platformOf, timeoutOf } from "../application.ts";
import { Disconnected } from "../body/body.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { usesTenants } from "../capabilities.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { RequestContext } from "../request-context.ts";
import { inTenantOf } from "../tenant/tenant-context.ts";
import { submitKind } from "./kinds.ts";
import { type Submission, submissionOf } from "./submission.ts";
import { HTML, isHTML } from "../../declare/html.ts";
import { isRedirection, Redirection } from "../../declare/redirect.ts";
import type { RawHeaders } from "../exchange/exchange.ts";

/** The handler of a page whose request is already decoded. */
type Handler = (ctx: Context) => unknown;

/** Limit: hours for which a repeated submit of a form gets the first submit's response. */
const submitHours = 24;

/** The maximum pause between checks of a submit that is running elsewhere, in milliseconds. */
const longestLookMs = 250;

/** Milliseconds after a response's time limit at which the outcome of a submit counts as unknown. */
const graceMs = 5_000;

/**
 * Calls the handler of a page. For a repeated submit, waits for the first response and returns it, or throws a 409 if
 * it was not stored or is unknown. After a failure or an error status, the next submit runs the handler again.
 */
export async function runOnce(
  ctx: Context,
  endpoint: BundledEndpoint,
  admission: Promise<Context | void> | undefined,
  call: Handler,
): Promise<unknown> {
  const inside = await admission;
  const handler: Handler = usesTenants ? (own) => call(inTenantOf(inside, own)) : call;
  const request = RequestContext.requestOf(ctx);
  const submission = request && submissionOf(request);
  // Code that calls the page submits no form.
  if (request === undefined || submission === undefined || submission.running !== undefined) return handler(ctx);
  const platform = platformOf(request.app, "recognize submits on");
  const longestMs = timeoutOf(request.app, endpoint);
  for (let pause = 10; ; pause = Math.min(pause * 2, longestLookMs)) {
    const answer = await claim(platform, submission, longestMs + graceMs);
    if (answer === "first") return runFirst({ platform, request, submission, longestMs }, handler);
    if (answer !== "running") return restoreAnswer(request, answer);
    if (!request.exchange.isOpen || request.timedOut) throw new Disconnected();
    await delay(pause);
  }
}

/**
 * Records the submit as running and returns "first". If it is already recorded, returns "running" or its response.
 * Throws a 409 if the response was not stored or the outcome is unknown.
 */
async function claim({ entities, clock }: Platform, submission: Submission, longestMs: number): Promise<string> {
  const key = keyOf(submission);
  try {
    await entities.insert(key, { at: clock.now() }, expiryOf(clock));
    return "first";
  } catch (error) {
    if (!isPlatformError(error, "exists")) throw error;
  }
  const { at, answer, unstored } = (await entities.get(key))?.fields ?? {};
  if (typeof answer === "string") return answer;
  if (unstored === true) throw new StatusError(409, messages.submitted);
  if (typeof at === "number" && clock.now() > at + longestMs) throw new StatusError(409, messages.submitUnknown);
  return "running";
}

interface FirstSubmit {
  readonly platform: Platform;
  readonly request: Request;
  readonly submission: Submission;
  readonly longestMs: number;
}

/** Runs the handler to completion, even if the browser closes the connection in order to submit again. */
async function runFirst(first: FirstSubmit, handler: Handler): Promise<unknown> {
  const { platform, request, submission, longestMs } = first;
  const key = keyOf(submission);
  const expiry = expiryOf(platform.clock);
  const ctx = new LastingContext(request, lifetimeOf(AbortSignal.timeout(longestMs)));
  const running = (async () => handler(ctx))();
  submission.running = running;
  const result = await running.catch(async (error: unknown) => {
    await platform.entities.delete(key);
    throw error;
  });
  // If a write fails, the document remains, so that a handler that succeeded does not run again.
  const answer = isRefusal(result) ? undefined : answerText(request, result);
  if (isRefusal(result)) await platform.entities.delete(key);
  else await platform.entities.upsert(key, answer === undefined ? { unstored: true } : { answer }, expiry);
  return result;
}

function keyOf({ id }: Submission): Key {
  return { kind: submitKind, id };
}

function expiryOf(clock: Platform["clock"]): { readonly expires: Date } {
  return { expires: new Date(clock.now() + submitHours * 3_600_000) };
}

function isRefusal(result: unknown): boolean {
  return isStatusError(result) || (isReply(result) && (result.status ?? 200) >= 400);
}

/** A context whose operations continue after the client disconnects, up to the time limit of a response. */
class LastingContext extends RequestContext {
  readonly #lifetime: Lifetime;

  constructor(request: Request, lifetime: Lifetime) {
    super(request);
    this.#lifetime = lifetime;
  }

  override get lifetime(): Lifetime {
    return this.#lifetime;
  }

  override get signal(): AbortSignal {
    return this.#lifetime.signal;
  }
}

/** Limit: characters of a response to a form that fw stores for repeated submits. */
const answerCharacters = 256 * 1024;

/** The stored form of a page's response. */
interface StoredAnswer {
  readonly body: { readonly text: string; readonly document: boolean } | StoredRedirection | null;
  readonly reply?: Pick<Reply, "status" | "headers" | "cookies">;
  /** Headers and cookies that the handler set separately from its result, such as a flash message. */
  readonly headers: RawHeaders;
  readonly cookies: readonly string[];
}

interface StoredRedirection {
  readonly target: string;
  readonly permanent: boolean;
}

/** Returns a response as text; undefined if it cannot be stored, because it is a Blob or too large. */
function answerText(request: Request, result: unknown): string | undefined {
  const body = bodyOf(isReply(result) ? result.body : result);
  if (body === undefined) return undefined;
  const { headers = [], cookies = [] } = request.collected ?? {};
  const stored: StoredAnswer = { body, ...(isReply(result) && { reply: repliedParts(result) }), headers, cookies };
  const text = JSON.stringify(stored);
  return text.length > answerCharacters ? undefined : text;
}

function bodyOf(result: unknown): StoredAnswer["body"] | undefined {
  if (result === undefined) return null;
  if (isHTML(result)) return { text: result.text, document: result.document };
  return isRedirection(result) ? { target: result.target, permanent: result.permanent } : undefined;
}

function repliedParts({ status, headers, cookies }: Reply): StoredAnswer["reply"] {
  return { status, headers, cookies };
}

/** Returns the first submit's result, and sets the headers and cookies of its response on this request. */
function restoreAnswer(request: Request, text: string): unknown {
  const { body, reply: parts, headers, cookies } = JSON.parse(text) as StoredAnswer;
  for (let i = 0; i < headers.length; i += 2) request.draft.addHeader(String(headers[i]), String(headers[i + 1]));
  request.draft.cookies.push(...cookies);
  const result = restoreBody(body);
  return parts === undefined ? result : reply(result, parts);
}

function restoreBody(body: StoredAnswer["body"]): unknown {
  if (body === null) return undefined;
  return "text" in body ? new HTML(body.text, body.document) : new Redirection(body.target, body.permanent);
}
