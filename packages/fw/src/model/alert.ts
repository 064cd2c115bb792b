import type { AlertCondition, AlertRule, Series, StatusClass, Threshold } from "../lib/alert-rule.ts";
import type { App, DeclarationRef } from "./app.ts";
import { allOfKind, declarationKey, endpointsOf } from "./declarations.ts";

/** A Channel declaration: who is told. */
export interface Channel {
  readonly kind: "channel";
  readonly declaration: DeclarationRef;
  readonly name: string;
  readonly to: ChannelTarget;
}

/** An address, or the name of the secret that holds the URL to post to. */
export type ChannelTarget = { readonly email: string } | { readonly webhook: string };

/** An Alert declaration. Times in milliseconds. */
export interface Alert {
  readonly kind: "alert";
  readonly declaration: DeclarationRef;
  readonly name: string;
  readonly condition: DeclaredCondition;
  readonly every: number;
  readonly for: number;
  /** The names of its channels. */
  readonly notify: readonly string[];
}

/** A condition by what the source names. */
export type DeclaredCondition =
  | ({ readonly kind: "rate"; readonly of: Subject; readonly status?: StatusClass } & Threshold)
  | ({ readonly kind: "ratio"; readonly of: Subject; readonly status: StatusClass } & Threshold)
  | ({ readonly kind: "ratio"; readonly of: Subject; readonly to: Subject } & Threshold)
  | ({ readonly kind: "percentile"; readonly of: Subject; readonly quantile: number } & Threshold)
  | { readonly kind: "absent"; readonly of: Subject; readonly status?: StatusClass };

/** A metric by its name, or an endpoint by the constant that holds it. */
export type Subject =
  | { readonly kind: "counter" | "histogram"; readonly name: string }
  | { readonly kind: "endpoint"; readonly module: string; readonly variable: string };

/** The alerts of an application as they are evaluated and deployed, by name. */
export function alertRules(app: App): readonly AlertRule[] {
  const endpoints = endpointLabels(app);
  const rules = allOfKind(app.packages, "alert").flatMap(({ name, condition, every, for: held, notify }) => {
    const resolved = resolvedCondition(condition, endpoints);
    return resolved ? [{ name, condition: resolved, every, for: held, notify }] : [];
  });
  return rules.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** By the key of its declaration, what tells the metrics of an endpoint from those of others. */
type EndpointLabels = ReadonlyMap<string, { readonly service: string; readonly route: string }>;

function endpointLabels({ packages }: App): EndpointLabels {
  const all = packages.flatMap((pkg) => endpointsOf(pkg).map((endpoint) => ({ endpoint, service: pkg.service })));
  return new Map(
    all.map(({ endpoint, service }) => {
      return [declarationKey(endpoint.declaration), { service, route: endpoint.route.pattern }];
    }),
  );
}

/** Undefined where it names an endpoint that the application lacks, which a rule has told. */
function resolvedCondition(condition: DeclaredCondition, endpoints: EndpointLabels): AlertCondition | undefined {
  const { kind } = condition;
  const whole = seriesOf(condition.of, kind === "percentile" ? "request_ms" : "requests", endpoints);
  if (whole === undefined) return undefined;
  const part = "status" in condition ? ofStatus(whole, condition.status) : whole;
  if (kind === "absent") return { kind, of: part };
  const { comparison, threshold } = condition;
  if (kind === "rate") return { kind, of: part, comparison, threshold };
  if (kind === "percentile") return { kind, of: whole, quantile: condition.quantile, comparison, threshold };
  const to = "to" in condition ? seriesOf(condition.to, "requests", endpoints) : whole;
  return to && { kind, of: part, to, comparison, threshold };
}

function ofStatus(series: Series, status: StatusClass | undefined): Series {
  return status === undefined ? series : { ...series, labels: { ...series.labels, status } };
}

/** What is added up of a subject; of an endpoint, which of its two metrics. */
function seriesOf(
  subject: Subject,
  automatic: "requests" | "request_ms",
  endpoints: EndpointLabels,
): Series | undefined {
  if (subject.kind !== "endpoint") return { metric: subject.name, kind: subject.kind, labels: {} };
  const { service, route } = endpoints.get(declarationKey(subject)) ?? {};
  if (service === undefined || route === undefined) return undefined;
  return { metric: automatic, kind: automatic === "requests" ? "counter" : "histogram", service, labels: { route } };
}
