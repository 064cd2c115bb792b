import { isPromise } from "../lib/promise.ts";
import { hasTokenInForm, needsFormToken, refuseCrossOrigin, requireToken } from "./access/csrf.ts";
import { requireInternalCaller, requireOwnSite, requireSignIn } from "./access/gate.ts";
import { authenticateService, calledRoute } from "./access/service-call.ts";
import { originsOf, preflightMethod } from "./access/origins.ts";
import { identify } from "./auth/identify.ts";
import { passOverChunks } from "./body/body.ts";
import { fieldsOf } from "./body/fields.ts";
import { readForm } from "./body/form.ts";
import type { ReadForm } from "./body/multipart.ts";
import { parseJSON, receiveBytes } from "./body/json.ts";
import { rawBody } from "./body/raw.ts";
import type { BundledEndpoint } from "./bundle.ts";
import { call } from "./call.ts";
import {
  usesBodies,
  usesCallers,
  usesFields,
  usesForms,
  usesIdentity,
  usesMounts,
  usesSites,
  usesSockets,
} from "./capabilities.ts";
import type { RequestFields } from "./decode/header-cookie.ts";
import type { RawRequest } from "./decode/raw-request.ts";
import type { Exchange } from "./exchange/exchange.ts";
import { guard } from "./guard.ts";
import { messages } from "./error-messages.ts";
import { webRequest } from "./mount/request.ts";
import type { Request } from "./request.ts";
import { fail, goOnWith } from "./response/error.ts";
import { sendRefusal } from "./response/refusal.ts";
import { sendResult } from "./response/result.ts";
import { answerInjected } from "./routing/answer-injected.ts";
import { findCalled } from "./routing/called-endpoint.ts";
import { injectedPath } from "./routing/injected-path.ts";
import { findEndpoint, findNamedFile } from "./routing/route.ts";
import { answerSocket } from "./socket/answer.ts";
import type { Served } from "./options.ts";
import { limitTime } from "./timeout.ts";
import { answerUnrouted, sendFile } from "./routing/unrouted.ts";

/** One request's life, from its headers to its answer. */
export function respond(app: Served, exchange: Exchange): void {
  guard(app, exchange, answer);
}

function answer(request: Request, app: Served): void {
  if (!usesCallers) return answerRequest(request, app);
  const called = calledRoute(request.exchange);
  if (called === undefined) return answerRequest(request, app);
  authenticated(request, () =>
    request.caller === undefined ? answerRequest(request, app) : answerCall(request, called),
  );
}

function answerRequest(request: Request, { injected }: Served): void {
  const path = injectedPath(request.path);
  if (path !== undefined) return answerInjected(request, injected, path);
  const params: string[] = [];
  const endpoint = findEndpoint(request, params);
  if (endpoint === undefined || (usesMounts && asksFirst(request, endpoint))) return answerUnrouted(request);
  authenticated(request, () => {
    const file = usesSites && params.length > 0 && request.caller === undefined ? findNamedFile(request) : undefined;
    if (usesSites && file) return sendFile(request, file);
    begin(request, endpoint, params);
  });
}

/** True where a browser asks for a page of another origin, which the Service decides about and no mount. */
function asksFirst({ app, exchange }: Request, endpoint: BundledEndpoint): boolean {
  return endpoint.kind === "mount" && preflightMethod(exchange) !== undefined && originsOf(app, endpoint) !== undefined;
}

/** Goes on when it is known which service calls, if one does. */
function authenticated(request: Request, goOn: () => void): void {
  if (!usesCallers) return goOn();
  const pending = authenticateService(request);
  if (pending === undefined) return goOn();
  goOnWith(request, pending, () => (request.exchange.isOpen ? goOn() : request.finish()));
}

/**
 * Runs the endpoint that another service means: a value in its path may be a word of another route, of the framework's too. Where there
 * is none, the answer is no endpoint's, so that nobody takes it for a miss.
 */
function answerCall(request: Request, name: string): void {
  const found = findCalled(request.app.bundle, name, request.path);
  if (found === undefined) return sendRefusal(request, { status: 404, message: messages.notFound }, true);
  begin(request, found.endpoint, found.params);
}

/** Finds out for whom the endpoint is to run. */
function begin(request: Request, endpoint: BundledEndpoint, params: string[]): void {
  request.endpoint = endpoint;
  request.watch();
  if (!usesIdentity) return admit(request, endpoint, params);
  const identified = identify(request);
  if (identified === false) return admit(request, endpoint, params);
  goOnWith(request, identified, () => admitIdentified(request, endpoint, params));
}

/** Admits a request that brought a session, now that it is known whose. */
function admitIdentified(request: Request, endpoint: BundledEndpoint, params: string[]): void {
  // Who went away meanwhile gets no answer, and the end of a body that was cut off would never come.
  if (!request.exchange.isOpen) return request.finish();
  requireOwnSite(request, endpoint);
  admit(request, endpoint, params);
}

/** Refuses who may not come in, reads what the request carries and runs the endpoint. */
function admit(request: Request, endpoint: BundledEndpoint, params: string[]): void {
  requireInternalCaller(request, endpoint);
  requireSignIn(request.ctx, endpoint);
  if (usesSockets && endpoint.kind === "socket") return answerSocket(request, endpoint, params);
  if (usesBodies && (endpoint.carries === "json" || endpoint.carries === "raw"))
    return readBodyAndRun(request, endpoint, params);
  if (usesMounts && endpoint.carries === "stream") return runMount(request, endpoint);
  if (usesForms && mustRead(request, endpoint)) return void readAndRun(request, endpoint, params);
  if (isChunked(request)) return void passOverAndRun(request, endpoint, params);
  runWithBody(request, endpoint, params, undefined);
}

/** Reads a body that is no form, then runs the endpoint. */
function readBodyAndRun(request: Request, endpoint: BundledEndpoint, params: string[]): void {
  receiveBytes(request, endpoint, (error, bytes) => {
    if (error !== undefined) return fail(request, error);
    try {
      runWithBody(request, endpoint, params, bodyOf(request, endpoint, bytes));
    } catch (failure) {
      fail(request, failure);
    }
  });
}

function bodyOf(
  { exchange }: Request,
  { carries, exactIntegers }: BundledEndpoint,
  bytes: Buffer | undefined,
): unknown {
  if (carries === "json") return parseJSON(bytes, exactIntegers);
  return bytes && rawBody(bytes, exchange.header("content-type") ?? "");
}

function mustRead(request: Request, endpoint: BundledEndpoint): boolean {
  return endpoint.carries !== "nothing" || needsFormToken(request, endpoint);
}

/** Reads the form that the endpoint's requests carry, checks its token, then runs the endpoint. */
async function readAndRun(request: Request, endpoint: BundledEndpoint, params: string[]): Promise<void> {
  const guarded = needsFormToken(request, endpoint);
  const bound = request.caller === undefined ? endpoint.maxBody : undefined;
  let read: ReadForm | undefined;
  try {
    if (guarded) refuseCrossOrigin(request);
    if (guarded && !hasTokenInForm(request)) requireToken(request, undefined);
    if (carriesForm(request, endpoint)) {
      const form = (read = await readForm(request.exchange, endpoint.carries === "multipart", bound));
      request.exchange.onceOver(() => void form.dispose());
    } else if (isChunked(request)) await passOverChunks(request.exchange);
    if (guarded && hasTokenInForm(request)) requireToken(request, read);
    const form = endpoint.carries === "nothing" ? undefined : read?.form;
    run(request, endpoint, {
      params,
      query: request.query,
      body: undefined,
      form,
      fields: boundFields(request, endpoint),
    });
  } catch (error) {
    fail(request, error);
  }
}

/** Waits for the end of a chunked body that the endpoint doesn't read, then runs it. */
async function passOverAndRun(request: Request, endpoint: BundledEndpoint, params: string[]): Promise<void> {
  try {
    await passOverChunks(request.exchange);
    runWithBody(request, endpoint, params, undefined);
  } catch (error) {
    fail(request, error);
  }
}

/** Hands the request on as whatever speaks fetch has it. */
function runMount(request: Request, endpoint: BundledEndpoint): void {
  settle(request, endpoint, call(request.ctx, endpoint, webRequest(request, endpoint)));
}

/** Runs the endpoint with a request that carries no form. */
function runWithBody(request: Request, endpoint: BundledEndpoint, params: string[], body: unknown): void {
  const { query } = request;
  run(request, endpoint, { params, query, body, form: undefined, fields: boundFields(request, endpoint) });
}

/** Decodes the request, calls the endpoint and sends what comes of it; without a promise where the handler has none. */
function run(request: Request, endpoint: BundledEndpoint, raw: RawRequest): void {
  settle(request, endpoint, call(request.ctx, endpoint, endpoint.decode(raw)));
}

function settle(request: Request, endpoint: BundledEndpoint, result: unknown): void {
  if (!isPromise(result)) return sendResult(request, endpoint, result);
  limitTime(request, endpoint);
  const inTime = (work: () => void): void => (request.timedOut ? undefined : work());
  result
    .then((value) => inTime(() => sendResult(request, endpoint, value)))
    .catch((error: unknown) => inTime(() => fail(request, error)));
}

function boundFields(request: Request, endpoint: BundledEndpoint): RequestFields | undefined {
  return usesFields ? fieldsOf(request, endpoint) : undefined;
}

function isChunked({ exchange }: Request): boolean {
  return exchange.header("transfer-encoding") !== undefined;
}

/** A guarded page reads the form that holds its token also where it declares no field of it. */
function carriesForm(request: Request, endpoint: BundledEndpoint): boolean {
  const { carries } = endpoint;
  if (carries === "form" || carries === "multipart") return true;
  return needsFormToken(request, endpoint) && hasTokenInForm(request);
}
