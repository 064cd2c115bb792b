// The latest state from the server: recent events and the model of the application.

import { ask } from "./ask.js";
import { ErrorCounts } from "./error-counts.js";
import { errorText } from "./log-line.js";

/** The maximum number of events to keep, as on the server, and of their characters as JSON. */
const maxEvents = 10_000;
const maxCharacters = 16_000_000;

/** Recent events, oldest first. */
export const events = [];
/** The counts of the errors among `events`. */
export const errorCounts = new ErrorCounts();
/** Requests in progress. */
export let running = [];
/** The application's graph, routes and diagram; undefined until fw has analyzed it. */
export let model;

/** The characters of each event, and their sum. */
const sizes = [];
let totalSize = 0;
let last = 0;
let modelText = "";

/** Fetches the events since the last call. */
export async function nextEvents() {
  const fresh = await ask("events", { after: last });
  last = fresh.last;
  running = fresh.running;
  for (const event of fresh.events) store(event);
  return fresh.events;
}

function store(event) {
  events.push(event);
  errorCounts.add(event);
  sizes.push(JSON.stringify(event).length);
  totalSize += sizes.at(-1);
  while (events.length > 1 && (events.length > maxEvents || totalSize > maxCharacters)) {
    errorCounts.remove(events.shift());
    totalSize -= sizes.shift();
  }
}

/** Returns the newest log line that has a handler's error and passes `isSought`; undefined if there is none. */
export function failureLine(isSought, lines = events) {
  return lines.findLast((event) => event.kind === "log" && errorText(event) !== undefined && isSought(event));
}

/** Fetches the model. Resolves with true if it has changed. */
export async function nextModel() {
  const next = await ask("model").catch(() => undefined);
  const text = JSON.stringify(next ?? null);
  if (!next || text === modelText) return false;
  modelText = text;
  model = next;
  return true;
}

/** Returns the declarations of one kind in all services, each with its service as `owner`. */
export function declared(key) {
  return (model?.graph.services ?? []).flatMap((service) =>
    (service[key] ?? []).map((each) => ({ ...each, owner: service.name })),
  );
}
