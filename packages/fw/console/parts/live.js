// What the server has told: events as they happen, and the application as it was read last.

import { ask } from "./ask.js";

/** Events that are kept, as many as the server keeps, and their characters as JSON. */
const keptEvents = 10_000;
const keptCharacters = 16_000_000;

/** What happened, the oldest first. */
export const events = [];
/** Requests that are not answered yet. */
export let running = [];
/** The application's graph, its routes and its picture; undefined until it was analysed. */
export let model;

/** Characters of each event, and of all. */
const sizes = [];
let kept = 0;
let last = 0;
let modelText = "";

/** What is new since it was asked before. */
export async function nextEvents() {
  const fresh = await ask("events", { after: last });
  last = fresh.last;
  running = fresh.running;
  for (const event of fresh.events) keep(event);
  return fresh.events;
}

function keep(event) {
  events.push(event);
  sizes.push(JSON.stringify(event).length);
  kept += sizes.at(-1);
  while (events.length > 1 && (events.length > keptEvents || kept > keptCharacters)) {
    events.shift();
    kept -= sizes.shift();
  }
}

/** Whether the application is another one than before. */
export async function nextModel() {
  const next = await ask("model").catch(() => undefined);
  const text = JSON.stringify(next ?? null);
  if (!next || text === modelText) return false;
  modelText = text;
  model = next;
  return true;
}

/** Everything of a kind that any service declares, with the service as its owner. */
export function declared(key) {
  return (model?.graph.services ?? []).flatMap((service) =>
    (service[key] ?? []).map((each) => ({ ...each, owner: service.name })),
  );
}
