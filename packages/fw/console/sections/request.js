import { act } from "../parts/act.js";
import { ask, can } from "../parts/ask.js";
import { curlCommand, curlNotes, isComplete } from "../parts/curl.js";
import { placeLink } from "../parts/editor.js";
import { h, none } from "../parts/elements.js";
import { copyable, exchangeContent } from "../parts/exchange.js";
import { counted, ms, number, shortened, statusClass, time } from "../parts/format.js";
import { events, model, running } from "../parts/live.js";
import { canOpen, routeName, sectionLink } from "../parts/links.js";
import { causeOf, logItem } from "../parts/log-line.js";
import { isStaticFile } from "../parts/request-filter.js";
import { stackContent } from "../parts/stack.js";
import { stepName } from "../parts/step-name.js";
import { indexWaits, repeatedReads, waterfall } from "../parts/waterfall.js";
import { replayForm } from "./replay-form.js";

/** False for the dashboard of a server in production, which records no headers and bodies. */
const hasExchanges = can("exchange");

function noLines({ status, id }) {
  if (!hasExchanges) return `None. The log of the server has the other lines of this request: search it for ${id}.`;
  return status === undefined ? "No log lines yet." : "No log lines.";
}

/** Returns the latest state of a request, which has no status while it runs. */
export function requestNow(id) {
  return (
    events.findLast((event) => event.kind === "request" && event.id === id) ?? running.find((each) => each.id === id)
  );
}

/** Creates the details of a request. `update` shows its latest state, and leaves expanded parts open. */
export function requestDetails(id) {
  const [facts, cause, refusal, tools, exchange, logs] = Array.from({ length: 6 }, () => h("div", {}));
  const steps = stepsPart();
  let recorded;

  function update(event) {
    const trace = traceOf(event);
    const lines = logsOf(event, trace);
    const failure = failureOf(event, lines);
    facts.replaceChildren(factList(event, trace));
    cause.replaceChildren(
      ...(failure
        ? [h("h3", { class: "bad" }, `Why ${failedPart(event, failure)} failed`), stackContent(causeOf(failure))]
        : []),
    );
    steps.update(trace, event.trace, lines);
    logs.replaceChildren(
      h("h3", {}, hasExchanges ? "Logs" : "Errors in the log"),
      lines.length === 0 ? none(noLines(event)) : h("ul", { class: "logs" }, lines.map(logItem)),
    );
    if (hasExchanges && event.status !== undefined && recorded === undefined) void load(event);
  }

  async function load(event) {
    recorded = ask("exchange", { id });
    const answer = await recorded.catch(() => null);
    const content = answer ? exchangeContent(answer) : none("The headers and bodies of this request are not recorded.");
    exchange.replaceChildren(h("div", {}, content));
    if (answer) tools.replaceChildren(...actions(event, answer));
    refusal.replaceChildren(...refusalContent(event, answer));
  }

  return { nodes: [facts, cause, refusal, tools, steps.node, exchange, logs], update };
}

/**
 * Explains why a request was refused before its handler ran: the response's message and, for 401 and 403, the route's
 * access rule.
 */
function refusalContent(event, exchange) {
  if (!endedBeforeHandler(event) || event.status < 400) return [];
  const isDenied = event.status === 401 || event.status === 403;
  const door = isDenied && model?.routes.find((each) => routeName(each) === event.route)?.door;
  return [
    h("h3", { class: "warn" }, "Why it was refused"),
    h("p", {}, [errorOf(exchange), door && `Access: ${door}.`].filter(Boolean).join(" ")),
  ];
}

/** Returns the message in the body of a refusal; undefined for a page or without a recorded body. */
function errorOf(exchange) {
  try {
    const { error } = JSON.parse(exchange.responseBody.text);
    return `“${error}”.`;
  } catch {
    return undefined;
  }
}

/** Creates the buttons, and below them the result of the last one. */
function actions(event, exchange) {
  const result = h("div", { class: "action" });
  const show = (...nodes) => result.replaceChildren(...nodes.flat());
  const writeTest = act(async () => {
    const { path, source } = await ask("test", { id: event.id });
    show(h("p", { class: "muted" }, `Save as ${path} and run it with fw test.`), copyable(source, "Test"));
  });
  const showCommand = act(async () => {
    const command = curlCommand(event.method, exchange);
    const notes = curlNotes(exchange).map((sentence) => h("p", { class: "muted" }, sentence));
    show(notes, copyable(command, "Command"));
    await navigator.clipboard.writeText(command);
  }, "Copied.");
  const isWhole = isComplete(exchange.requestBody);
  return [
    h(
      "p",
      { class: "row" },
      h("button", { onclick: showCommand }, "Copy as curl"),
      h(
        "button",
        {
          onclick: () => show(replayForm(event, exchange)),
          disabled: !isWhole,
          title: isWhole ? "" : incomplete,
        },
        "Replay as…",
      ),
      h("button", { onclick: writeTest }, "Write a test"),
    ),
    result,
  ];
}

const incomplete = "The body of the request is not recorded completely.";

/** Returns the log line with the error of a request, or of work that it led to. */
function failureOf({ id }, lines) {
  const failures = lines.filter((line) => line.severity === "ERROR" && causeOf(line) !== undefined);
  return failures.find(({ fields }) => fields.req === id) ?? failures[0];
}

/** Names the part of a trace that failed: a delivery or a job may fail long after the request that led to it. */
function failedPart({ id }, { fields, service }) {
  if (fields.req === id) return "it";
  if (fields.job !== undefined) return `job ${fields.job}`;
  return [service, fields.route ?? fields.source].filter(Boolean).join(" ");
}

/** Returns the requests of a trace. */
function traceOf({ trace }) {
  return [...events.filter(({ kind }) => kind === "request"), ...running].filter((each) => each.trace === trace);
}

function logsOf({ trace }, requests) {
  const ids = new Set(requests.map(({ id }) => id));
  return events.filter((each) => each.kind === "log" && (ids.has(each.fields.req) || each.fields.trace === trace));
}

function factList(event, trace) {
  const rows = [
    ["Path", shortened(event.path) === event.path ? undefined : h("span", { class: "mono" }, event.path)],
    ["Status", statusOf(event)],
    ["Route", routeLink(event.route)],
    ["Declared at", declaredAt(event.route)],
    ["Started", event.status === undefined ? time(event.at) : `${time(event.at)}, took ${ms(event.ms)}`],
    ["Data", dataText(event.trace)],
    ["Service", event.service],
    ["Called by", event.caller],
    ["Calls", callsText(event, trace)],
    ["User", event.user && canOpen("users") ? h("a", { href: "#users" }, event.user) : event.user],
    ["Request", h("span", { class: "mono" }, event.id)],
    [
      "Trace",
      h("a", { class: "mono", href: `#application?trace=${event.trace}`, title: "Show in the graph" }, event.trace),
    ],
  ];
  const known = rows.filter(([, value]) => value !== undefined);
  return h(
    "dl",
    {},
    known.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}

/** Lists the services that the request's service called in the trace, with the numbers of calls. */
function callsText({ id, service }, trace) {
  const called = trace.filter((each) => service !== undefined && each.caller === service && each.id !== id);
  const counts = Map.groupBy(called, (each) => each.service);
  const texts = [...counts].map(([name, { length }]) => (length === 1 ? name : `${name} (${number(length)} times)`));
  return texts.length === 0 ? undefined : texts.join(", ");
}

/** Links a declared route to its form. */
function routeLink(route) {
  const isDeclared = model?.routes.some((each) => routeName(each) === route);
  return isDeclared && canOpen("routes") ? h("a", { href: sectionLink("routes", { route }) }, route) : route;
}

function declaredAt(route) {
  const at = model?.routes?.find((each) => routeName(each) === route)?.at;
  return at && placeLink(at);
}

/** Counts a trace's operations on entities and their documents. */
function dataText(trace) {
  const spans = spansOf(trace).filter(({ name }) => name.startsWith("entity."));
  if (spans.length === 0) return undefined;
  const documents = spans.reduce((sum, { details }) => sum + (details?.documents ?? 0), 0);
  return `${counted(spans.length, "operation")}, ${counted(documents, "document")}`;
}

function statusOf({ status }) {
  const text = { undefined: "running", 499: "499, the client disconnected" }[status] ?? String(status);
  return h("span", { class: statusClass(status) }, text);
}

/** The maximum number of log lines to show between the steps of a trace; the log below shows all. */
const linesBetweenSteps = 100;

/**
 * Creates a view of a trace's steps and log lines, with warnings about reads in a loop and indexes that are being
 * filled.
 */
function stepsPart() {
  const [above, chart] = [h("div", {}), waterfall()];

  function update(requests, trace, lines) {
    const steps = stepsOf(requests, trace);
    const isEmpty = steps.length < 2 && lines.length === 0;
    const warnings = [...repeatedReads(steps), ...indexWaits(steps)];
    above.replaceChildren(
      ...(isEmpty ? [none(noSteps(requests[0]))] : warnings.map((sentence) => h("p", { class: "warn" }, sentence))),
    );
    chart.node.hidden = isEmpty;
    if (isEmpty) return;
    const shown = lines.slice(0, linesBetweenSteps).map((line, i) => lineStep({ line, i }, requests, trace));
    chart.update([...steps, ...shown]);
  }

  return { node: h("div", {}, h("h3", {}, "Steps"), above, chart.node), update };
}

/** Explains why a request has no steps. */
function noSteps(request) {
  if (request === undefined || request.status === undefined) return "No steps yet.";
  if (isStaticFile(request)) return "A file answered the request, so no handler began.";
  if (request.route === "<unmatched>") return "No route matches the request, so no handler began.";
  return "This request was not timed: fw times the handlers of 100 requests a second.";
}

/** True for a request that was answered before its handler began. */
function endedBeforeHandler({ gate, ms: took, status }) {
  return status !== undefined && gate === took;
}

/**
 * Converts a log line to a step without duration. Log times are whole milliseconds, so the step is placed after steps
 * that ended before the line was logged.
 */
function lineStep({ line, i }, requests, trace) {
  const delivery = line.fields.req === undefined ? deliveryOf(line, trace) : undefined;
  const request = delivery ?? requests.find(({ id }) => id === line.fields.req) ?? requests[0];
  const ends = events
    .slice(0, events.indexOf(line))
    .flatMap((event) => (event.kind === "span" && event.trace === trace ? [event.at + event.ms] : []));
  const at = Math.max(line.at, request.at, ...ends.filter((end) => end < line.at + 1));
  const { message, severity } = line;
  return insidePhase({ id: `line ${i}`, parent: request.id, name: message, at, ms: 0, severity }, request);
}

/** Finds the delivery or run whose handler logged a line: the latest one started before it. */
function deliveryOf({ at, service, fields }, trace) {
  const name = fields.job === undefined ? `${service} ${fields.source}` : `job ${fields.job}`;
  return spansOf(trace)
    .filter((span) => span.attempt !== undefined && stepName(span.name) === name && span.at < at + 1)
    .reduce((latest, span) => (latest && latest.at > span.at ? latest : span), undefined);
}

/**
 * Returns the steps of requests: gates, handlers and the operations inside them. An operation that is itself a request
 * appears once, with its status.
 */
function stepsOf(requests, trace) {
  const byId = new Map(requests.map((request) => [request.id, request]));
  const spans = spansOf(trace).filter(({ id }) => !byId.has(id));
  const named = spans.map((span) => ({ ...span, ...outgoingFacts(span), name: spanName(span) }));
  return [...requests.flatMap(requestSteps), ...named.map((span) => insidePhase(span, byId.get(span.parent)))];
}

function spanName({ name, attempt = 1 }) {
  return attempt === 1 ? stepName(name) : `${stepName(name)}, attempt ${attempt}`;
}

/** Returns the status and the error of a request to an external server. */
function outgoingFacts({ status, error }) {
  return { status: status && statusOf({ status }), note: error };
}

function requestSteps(request) {
  const { id, parent, route, at, ms: took, gate, service } = request;
  const failed = request.status >= 500;
  const whole = { id, parent, name: route, at, ms: took, failed, service, status: statusOf(request) };
  if (gate === undefined) return [whole];
  const before = { id: gateId(id), parent: id, name: "session, body and gate", at, ms: gate };
  if (endedBeforeHandler(request))
    return [whole, { ...before, failed: request.status >= 400, note: "answered before the handler began" }];
  return [
    whole,
    before,
    { id: handlerId(id), parent: id, name: handlerName(route), at: at + gate, ms: took - gate, failed },
  ];
}

function gateId(request) {
  return `${request} gate`;
}

function handlerId(request) {
  return `${request} handler`;
}

/** Returns the name of a handler, with its variable if known. */
function handlerName(route) {
  const { variable } = model?.variables.find(({ kind, name }) => kind === "route" && name === route) ?? {};
  return ["handler", variable].filter(Boolean).join(" ");
}

/** Moves a step of a request into its gate if the step started before the handler, otherwise into the handler. */
function insidePhase(span, request) {
  if (request?.gate === undefined) return span;
  // The time of a log line may be up to a millisecond early.
  const isBefore = span.at + (span.severity ? 1 : 0) < request.at + request.gate;
  return { ...span, parent: isBefore ? gateId(request.id) : handlerId(request.id) };
}

function spansOf(trace) {
  return events.filter((event) => event.kind === "span" && event.trace === trace);
}
