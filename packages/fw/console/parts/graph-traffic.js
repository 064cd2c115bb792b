// The traffic on the arrows of the graph, derived from recent requests and their steps.

import { edgeId } from "./graph-view.js";

/** The time window for the arrows' traffic, in milliseconds. */
export const trafficWindow = 60_000;

/** Counts the traffic on each arrow, in total and failed, by the arrow's id. `events` are requests and steps. */
export function trafficOf(events, edges) {
  const traffic = new Map();
  const count = (from, to, failed) => {
    const id = edgeId(from, to);
    const sums = traffic.get(id) ?? { count: 0, failed: 0 };
    traffic.set(id, sums);
    sums.count += 1;
    if (failed) sums.failed += 1;
  };
  const services = servicesOfSteps(events);
  const targets = Map.groupBy(edges, ({ from }) => from);
  for (const event of events) {
    if (event.kind === "request" && event.caller && event.service)
      count(`service ${event.caller}`, `service ${event.service}`, event.status >= 500);
    if (event.kind !== "span") continue;
    const resource = resourceOf(event.name);
    const service = services.get(event.parent);
    if (resource && service) count(`service ${service}`, resource, event.failed);
    const delivery = deliveryOf(event.name, targets);
    if (delivery) count(delivery.from, delivery.to, event.failed);
  }
  return traffic;
}

/** Returns the service that runs each request and each delivery, by the id that their steps name as parent. */
function servicesOfSteps(events) {
  const services = new Map();
  for (const event of events) {
    if (event.kind === "request" && event.service) services.set(event.id, event.service);
    const consumer = event.kind === "span" && /^(\S+) (?:queue|topic):/.exec(event.name);
    if (consumer) services.set(event.id, consumer[1]);
  }
  return services;
}

/**
 * Returns the resource of a step such as `entity.get orders` or `send queue:mails`; undefined if the step uses none.
 */
function resourceOf(name) {
  const [, part, resource] = /^(entity|bucket|users)\.\w+(?: (.+))?$/.exec(name) ?? [];
  if (part !== undefined) return resource === undefined ? part : `${part} ${resource}`;
  const [, kind, destination] = /^send (\w+):(.+)$/.exec(name) ?? [];
  return kind && `${kind} ${destination}`;
}

/** Returns the arrow of a delivery such as `shop-mailer queue:mails`; undefined for other steps. */
function deliveryOf(name, targets) {
  const [, consumer, kind, source] = /^(\S+) (queue|topic):(.+)$/.exec(name) ?? [];
  if (consumer === undefined || consumer === "send") return undefined;
  const [from, to] = [`${kind} ${source}`, `service ${consumer}`];
  return targets.get(from)?.some((edge) => edge.to === to) ? { from, to } : undefined;
}
