import type { AlertCondition, AlertRule, Series, StatusClass } from "../lib/alert-rule.ts";
import type { DeclaredCondition, Subject } from "./alert.ts";
import type { App } from "./app.ts";
import { allOfKind, declarationKey, endpointsOf } from "./declarations.ts";

/** Returns the application's alerts, ready to evaluate and deploy, sorted by name. */
export function alertRules(app: App): readonly AlertRule[] {
  const alerts = allOfKind(app.packages, "alert");
  if (alerts.length === 0) return [];
  const endpoints = endpointLabels(app);
  const rules = alerts.flatMap(({ name, condition, every, for: held, notify }) => {
    const resolved = resolvedCondition(condition, endpoints);
    return resolved ? [{ name, condition: resolved, every, for: held, notify }] : [];
  });
  return rules.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The labels of each endpoint's metrics, by the `declarationKey` of the endpoint. */
type EndpointLabels = ReadonlyMap<string, { readonly service: string; readonly route: string }>;

function endpointLabels({ packages }: App): EndpointLabels {
  const all = packages.flatMap((pkg) => endpointsOf(pkg).map((endpoint) => ({ endpoint, service: pkg.service })));
  return new Map(
    all.map(({ endpoint, service }) => {
      return [declarationKey(endpoint.declaration), { service, route: endpoint.route.pattern }];
    }),
  );
}

/** Replaces a condition's subjects with metric series; undefined if an endpoint is missing, which a rule reports. */
function resolvedCondition(condition: DeclaredCondition, endpoints: EndpointLabels): AlertCondition | undefined {
  const { kind } = condition;
  const whole = seriesOf(condition.of, kind === "percentile" ? "request_ms" : "requests", endpoints);
  if (whole === undefined) return undefined;
  const part = "status" in condition ? ofStatus(whole, condition.status) : whole;
  if (kind === "absent") return { kind, of: part };
  const { comparison, threshold, thresholdText } = condition;
  const compared = { comparison, threshold, ...(thresholdText !== undefined && { thresholdText }) };
  if (kind === "rate") return { kind, of: part, ...compared };
  if (kind === "percentile") return { kind, of: whole, quantile: condition.quantile, ...compared };
  const to = "to" in condition ? seriesOf(condition.to, "requests", endpoints) : whole;
  return to && { kind, of: part, to, ...compared };
}

function ofStatus(series: Series, status: StatusClass | undefined): Series {
  return status === undefined ? series : { ...series, labels: { ...series.labels, status } };
}

/**
 * Returns the metric series of a subject: for an endpoint, its `automatic` metric. Undefined if the endpoint does not
 * exist.
 */
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
