import { grouped } from "../../lib/grouped.ts";
import { partsOfEvent } from "../../lib/events.ts";
import type { App, DeclarationRef } from "../../model/app.ts";
import { allOfKind, consumersOf, declarationKey, endpointsOf, ofKind, settingsOf } from "../../model/declarations.ts";
import { grantsOf, type Grant } from "../../model/grants.ts";
import { servicesOf, type Service } from "../../model/services.ts";
import type { EntryUses } from "../../model/uses.ts";
import { accessTexts } from "./access.ts";
import { placeOf } from "./declarations.ts";
import { graph, type Graph } from "./graph.ts";

/** An application as boxes and arrows. */
export interface Diagram {
  readonly app: string;
  readonly nodes: readonly DiagramNode[];
  readonly edges: readonly DiagramEdge[];
}

export interface DiagramNode {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly lines: readonly string[];
  /** True for a resource that services share. */
  readonly isShared: boolean;
  /** The package that declares it; absent for a resource without a named declaration, such as user accounts. */
  readonly package?: string;
  /** `module:line` of its declaration, if it has one. */
  readonly at?: string;
}

export interface DiagramEdge {
  readonly from: string;
  readonly to: string;
  /** The operations, or the called route; "" for a flow of messages. */
  readonly label: string;
}

/**
 * Returns the boxes and arrows: services with their routes, shared resources with the permitted operations, and the
 * flow of messages.
 */
export function diagram(app: App, uses: readonly EntryUses[]): Diagram {
  const services = servicesOf(app);
  const serviceGrants = services.flatMap((service) => grantsOf(service, uses).map((grant) => ({ service, grant })));
  const resourceGrants = serviceGrants.filter(({ grant }) => grant.kind !== "endpoint");
  const users = grouped(resourceGrants, ({ grant }) => resourceId(grant));
  const facts = resourceFacts(graph(app));
  const ids = [...new Set([...facts.keys(), ...users.keys()])];
  return {
    app: app.name,
    nodes: [...serviceNodes(app, services), ...resourceNodes(ids, { app, facts, users })],
    edges: [
      ...serviceGrants.flatMap(({ service, grant }): DiagramEdge[] => {
        const label = grant.operations.join(", ");
        if (grant.kind !== "endpoint")
          return [{ from: serviceId(service.name), to: `${grant.kind} ${grant.name}`.trim(), label }];
        const [callee = "", ...route] = grant.name.split(" ");
        return [{ from: serviceId(service.name), to: serviceId(callee), label: `calls ${route.join(" ")}` }];
      }),
      ...messageEdges(app, new Set(ids)),
    ],
  };
}

interface ResourceLines {
  readonly app: App;
  readonly facts: ReadonlyMap<string, readonly string[]>;
  readonly users: ReadonlyMap<string, readonly { readonly service: Service; readonly grant: Grant }[]>;
}

function resourceNodes(ids: readonly string[], { app, facts, users }: ResourceLines): readonly DiagramNode[] {
  const places = declaredPlaces(app);
  return ids.map((id) => {
    const [kind = ""] = id.split(" ");
    const used = (users.get(id) ?? []).map(({ service, grant }) => `${service.name}: ${grant.operations.join(", ")}`);
    return { id, kind, title: id, lines: [...(facts.get(id) ?? []), ...used], isShared: true, ...places.get(id) };
  });
}

function serviceId(name: string): string {
  return `service ${name}`;
}

/** Returns the id of the node for a grant's resource. Unnamed resources of a kind share one node. */
function resourceId({ kind, name }: Grant): string {
  return name === "" ? kind : `${kind} ${name}`;
}

function serviceNodes(app: App, services: readonly Service[]): readonly DiagramNode[] {
  const door = accessTexts(app);
  const endpoints = new Map(
    app.packages.flatMap(endpointsOf).map((endpoint) => [declarationKey(endpoint.declaration), endpoint]),
  );
  const routeOf = (entry: DeclarationRef): string[] => {
    const endpoint = endpoints.get(declarationKey(entry));
    return endpoint === undefined ? [] : [`${endpoint.route.pattern}  ${door(endpoint)}`];
  };
  return services.map(({ name, kind, package: pkg, entries }) => {
    const { domain } = settingsOf(pkg) ?? {};
    const own = kind === "app" ? [...(domain === undefined ? [] : [domain]), ...entries.flatMap(routeOf)] : [];
    const crons =
      kind === "app" ? ofKind(pkg, "cron").map((cron) => `cron ${cron.name}  ${cron.sentence ?? cron.schedule}`) : [];
    const title = kind === "app" ? name : `${kind} ${name}`;
    const [first] = entries;
    const place = { package: pkg.service, ...(first && { at: placeOf(first) }) };
    return { id: serviceId(name), kind, title, lines: [...own, ...crons], isShared: false, ...place };
  });
}

function declaredPlaces({ packages }: App): ReadonlyMap<string, Pick<DiagramNode, "package" | "at">> {
  const rows = packages.flatMap((pkg) =>
    pkg.declarations.flatMap((declared) =>
      "name" in declared
        ? [[`${declared.kind} ${declared.name}`, { package: pkg.service, at: placeOf(declared.declaration) }] as const]
        : [],
    ),
  );
  return new Map(rows);
}

/** Returns the lines that describe each resource, by node. */
function resourceFacts({ services, indexes = [] }: Graph): ReadonlyMap<string, readonly string[]> {
  const facts = new Map<string, readonly string[]>();
  for (const service of services) {
    const { buckets: bucket = [], queues: queue = [], topics: topic = [], jobs: job = [] } = service;
    for (const { name } of service.entities ?? []) {
      const own = indexes.filter(({ entity }) => entity === name);
      facts.set(
        `entity ${name}`,
        own.map(({ fields }) => `index ${fields.join(", ")}`),
      );
    }
    for (const [kind, resources] of Object.entries({ bucket, queue, topic, job }))
      for (const { name } of resources) facts.set(`${kind} ${name}`, []);
    for (const alert of service.alerts ?? [])
      facts.set(`alert ${alert.name}`, [alert.if, `notifies ${alert.notify.join(", ")}`]);
  }
  return facts;
}

/** Returns edges from sources of messages to their consumers. Omits sources that are not shown. */
function messageEdges({ packages }: App, ids: ReadonlySet<string>): readonly DiagramEdge[] {
  const buckets = new Set(allOfKind(packages, "bucket").map(({ name }) => name));
  return packages.flatMap(consumersOf).flatMap(({ source, service }): DiagramEdge[] => {
    const { kind, about } = partsOfEvent(source.name);
    const from =
      source.kind === "event" && kind === "bucket.uploaded" && buckets.has(about)
        ? `bucket ${about}`
        : `${source.kind} ${source.name}`;
    return ids.has(from) ? [{ from, to: serviceId(service), label: "" }] : [];
  });
}
