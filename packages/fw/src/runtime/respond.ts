import { isPromise } from "../lib/promise.ts";
import { hasTokenInForm, needsFormToken, refuseCrossOrigin, requireToken } from "./access/csrf.ts";
import { requireInternalCaller, requireOwnSite, requireSignIn } from "./access/gate.ts";
import { authenticateService, calledRoute } from "./access/service-call.ts";
import { originsOf, preflightMethod } from "./access/origins.ts";
import { hasUsers } from "./application.ts";
import { anonymous } from "./auth/authentication.ts";
import { identify } from "./auth/identify.ts";
import { passOverChunks } from "./body/body.ts";
import { fieldsOf } from "./body/fields.ts";
import { readForm } from "./body/form.ts";
import type { ReadForm } from "./body/multipart.ts";
import { parseJSON, receiveBytes } from "./body/json.ts";
import { rawBody } from "./body/raw.ts";
import type { BundledEndpoint } from "./bundle.ts";
import { call } from "./call.ts";
import { callWithForm } from "./call-with-form.ts";
import {
  usesBodies,
  usesCallers,
  usesFields,
  usesForms,
  usesIdentity,
  usesInvalid,
  usesLive,
  usesMounts,
  usesOnce,
  usesSites,
  usesSockets,
} from "./capabilities.ts";
import type { RequestFields } from "./decode/header-cookie.ts";
import type { RawRequest } from "./decode/raw-request.ts";
import type { Exchange } from "./exchange/exchange.ts";
import { guard } from "./guard.ts";
import { messages } from "./error-messages.ts";
import { answerScript, liveStream } from "./live/live-page.ts";
import { webRequest } from "./mount/request.ts";
import type { Request } from "./request.ts";
import { fail, continueWith } from "./response/error.ts";
import { sendRefusal } from "./response/refusal.ts";
import { sendResult } from "./response/result.ts";
import { answerInjected } from "./routing/answer-injected.ts";
import { findCalled } from "./routing/called-endpoint.ts";
import { findEndpoint, findNamedFile } from "./routing/route.ts";
import { injectedPath } from "./exchange/http-guard.ts";
import { answerSocket } from "./socket/answer.ts";
import { disposeAfter, noteSubmission } from "./submit/submission.ts";
import type { Served } from "./options.ts";
import { limitTime } from "./timeout.ts";
import { answerUnrouted, sendFile } from "./routing/unrouted.ts";

/** Returns the function that handles the application's requests, from headers to response. */
export function responder(app: Served): (exchange: Exchange) => void {
  return (exchange) => guard(app, exchange, answer);
}

function answer(request: Request, app: Served): void {
  if (!usesCallers || app.callers === undefined) return answerRequest(request, app);
  const called = calledRoute(request.exchange);
  if (called === undefined) return answerRequest(request, app);
  authenticateCaller(request, () =>
    request.caller === undefined ? answerRequest(request, app) : answerCall(request, called),
  );
}

function answerRequest(request: Request, { injected }: Served): void {
  const path = injectedPath(request.path);
  if (path !== undefined) return answerInjected(request, injected, path);
  const params: string[] = [];
  const endpoint = findEndpoint(request, params);
  if (endpoint === undefined || (usesMounts && isMountPreflight(request, endpoint))) return answerUnrouted(request);
  authenticateCaller(request, () => {
    const file = usesSites && params.length > 0 && request.caller === undefined ? findNamedFile(request) : undefined;
    if (usesSites && file) return sendFile(request, file);
    begin(request, endpoint, params);
  });
}

/** True for a CORS preflight to a mount whose Service has `origins`: these determine the response, not the mount. */
function isMountPreflight({ app, exchange }: Request, endpoint: BundledEndpoint): boolean {
  return endpoint.kind === "mount" && preflightMethod(exchange) !== undefined && originsOf(app, endpoint) !== undefined;
}

/** Authenticates the calling service, if any, and then continues. */
function authenticateCaller(request: Request, next: () => void): void {
  if (!usesCallers || request.app.callers === undefined) return next();
  const pending = authenticateService(request);
  if (pending === undefined) return next();
  continueWith(request, pending, () => (request.exchange.isOpen ? next() : request.finish()));
}

/**
 * Runs the endpoint that another service names, even if its path also matches another route, possibly one of the
 * framework. For an unknown name, the 404 has no `X-Fw-Error` header, so callers do not mistake it for NotFound().
 */
function answerCall(request: Request, name: string): void {
  const found = findCalled(request.app.bundle, name, request.path);
  if (found === undefined) return sendRefusal(request, { status: 404, message: messages.notFound }, true);
  begin(request, found.endpoint, found.params);
}

/** Identifies the user of the request and then admits the request. */
function begin(request: Request, endpoint: BundledEndpoint, params: string[]): void {
  request.endpoint = endpoint;
  request.app.watcher?.requestBegan(request);
  if (!usesIdentity || !hasUsers(request.app)) return admit(request, endpoint, params);
  const identified = identify(request);
  if (identified === anonymous) return admit(request, endpoint, params);
  continueWith(request, identified, (authentication) => {
    request.authentication = authentication;
    admitIdentified(request, endpoint, params);
  });
}

/** Admits a request whose credential has been checked. */
function admitIdentified(request: Request, endpoint: BundledEndpoint, params: string[]): void {
  // The client has disconnected, so waiting for the rest of its body would hang.
  if (!request.exchange.isOpen) return request.finish();
  if (request.claim !== undefined) requireOwnSite(request, endpoint);
  admit(request, endpoint, params);
}

/** Checks access, reads the body and runs the endpoint. */
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

/** Reads a JSON or raw body, then runs the endpoint. */
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

/** Reads the endpoint's form, checks its token, then runs the endpoint. */
async function readAndRun(request: Request, endpoint: BundledEndpoint, params: string[]): Promise<void> {
  const guarded = needsFormToken(request, endpoint);
  const bound = request.caller === undefined ? endpoint.maxBody : undefined;
  let read: ReadForm | undefined;
  try {
    if (guarded) refuseCrossOrigin(request);
    if (guarded && !hasTokenInForm(request)) requireToken(request, undefined);
    if (carriesForm(request, endpoint)) {
      const form = (read = await readForm(request.exchange, endpoint.carries === "multipart", bound));
      if (usesOnce && endpoint.once) disposeAfter(request, () => void form.dispose());
      else request.exchange.onceOver(() => void form.dispose());
    } else if (isChunked(request)) await passOverChunks(request.exchange);
    if (guarded && hasTokenInForm(request)) requireToken(request, read);
    if (usesOnce && guarded && endpoint.once) await noteSubmission(request, read);
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

/** Waits for the end of a chunked body that the endpoint does not read, then runs the endpoint. */
async function passOverAndRun(request: Request, endpoint: BundledEndpoint, params: string[]): Promise<void> {
  try {
    await passOverChunks(request.exchange);
    runWithBody(request, endpoint, params, undefined);
  } catch (error) {
    fail(request, error);
  }
}

/** Passes the request to a mounted fetch handler. */
function runMount(request: Request, endpoint: BundledEndpoint): void {
  settle(request, endpoint, call(request.ctx, endpoint, webRequest(request, endpoint)));
}

function runWithBody(request: Request, endpoint: BundledEndpoint, params: string[], body: unknown): void {
  const { query } = request;
  run(request, endpoint, { params, query, body, form: undefined, fields: boundFields(request, endpoint) });
}

/**
 * Decodes the request, calls the endpoint and sends its result. Most endpoints need no promise unless the handler
 * returns one.
 */
function run(request: Request, endpoint: BundledEndpoint, raw: RawRequest): void {
  if (usesLive && endpoint.live && request.caller === undefined) {
    if (answerScript(request)) return;
    const stream = liveStream(request, endpoint, () => endpoint.decode(raw));
    if (stream !== undefined) return settle(request, endpoint, stream);
  }
  if (usesInvalid && endpoint.fields !== undefined && request.caller === undefined)
    return settle(request, endpoint, callWithForm(request, endpoint, endpoint.fields, raw));
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
  return usesFields && endpoint.varies !== undefined ? fieldsOf(request, endpoint) : undefined;
}

function isChunked({ exchange }: Request): boolean {
  return exchange.header("transfer-encoding") !== undefined;
}

/** True if there is a form to read. A page that checks form tokens reads the form even if it declares no fields. */
function carriesForm(request: Request, endpoint: BundledEndpoint): boolean {
  const { carries } = endpoint;
  if (carries === "form" || carries === "multipart") return true;
  return needsFormToken(request, endpoint) && hasTokenInForm(request);
}
