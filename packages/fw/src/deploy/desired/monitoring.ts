import type { Manifest } from "../../build/manifest.ts";
import { type AlertRule, conditionText } from "../../lib/alert-rule.ts";
import * as names from "../../platform/gcp/names.ts";
import type { Fields } from "../fields.ts";
import { placeholders } from "../placeholders.ts";
import type { DeployPlace } from "../deploy-place.ts";
import { keyOf, type Resource } from "../resource.ts";
import { dashboardOf } from "./dashboard.ts";
import { promQLOf } from "./cloud-promql.ts";
import { ownedResource, seconds, sharedResource, type ResourceInputs } from "./resource-inputs.ts";

/** Returns the metrics, notification channels, alerts and the dashboard. */
export function observedResources(inputs: ResourceInputs): readonly Resource[] {
  const { manifest, place } = inputs;
  const channels = manifest.resources.channels.map((channel) => channelOf(place, channel));
  const alerts = manifest.resources.alerts.map((rule) => alertOf(place, rule));
  return [...metricsOf(manifest, place), ...channels, ...alerts, dashboardOf(inputs)];
}

/** Returns metric descriptors, which allow alerts on metrics that have not been recorded yet. */
function metricsOf({ resources }: Manifest, { project }: DeployPlace): readonly Resource[] {
  const metric = (name: string, valueType: string, ...labels: readonly string[]): Resource => {
    const type = `custom.googleapis.com/${name}`;
    const keys = [...labels, "revision"].map((key) => ({ key }));
    const spec = { type, metricKind: "CUMULATIVE", valueType, labels: keys };
    return sharedResource("metric", `projects/${project}/metricDescriptors/${type}`, `metric ${name}`, spec);
  };
  return [
    metric("requests", "DOUBLE", "route", "status"),
    metric("request_ms", "DISTRIBUTION", "route"),
    ...resources.counters.map((name) => metric(name, "DOUBLE")),
    ...resources.histograms.map((name) => metric(name, "DISTRIBUTION")),
  ];
}

function titleOf(place: DeployPlace, kind: string, name: string): string {
  return `${names.namespaceOf(place)} ${kind} ${name}`;
}

function channelOf(place: DeployPlace, channel: Manifest["resources"]["channels"][number]): Resource {
  const title = titleOf(place, "channel", channel.name);
  const to: Fields =
    "email" in channel
      ? { type: "email", labels: { email_address: channel.email } }
      : { type: "webhook_tokenauth", labels: { url: placeholders.secret(names.secretName(place, channel.webhook)) } };
  const spec = { displayName: title, userLabels: names.labelsOf(place), enabled: true, ...to };
  return ownedResource("channel", `notificationChannels/${title}`, `channel ${channel.name}`, spec);
}

/** Returns the policy of an alert. It uses PromQL, which also works for a metric without values. */
function alertOf(place: DeployPlace, rule: AlertRule): Resource {
  const title = titleOf(place, "alert", rule.name);
  const channels = rule.notify.map((name) => titleOf(place, "channel", name));
  const spec = {
    displayName: title,
    userLabels: names.labelsOf(place),
    enabled: true,
    combiner: "OR",
    conditions: [
      {
        displayName: conditionText(rule.condition),
        conditionPrometheusQueryLanguage: {
          query: promQLOf(place).condition(rule.condition, `${rule.every / 1000}s`),
          duration: seconds(rule.for),
          evaluationInterval: "30s",
          disableMetricValidation: true,
        },
      },
    ],
    notificationChannels: channels.map(placeholders.channel),
  };
  const deps = channels.map((channel) => keyOf({ kind: "channel", id: `notificationChannels/${channel}` }));
  return ownedResource("alert", `alertPolicies/${title}`, `alert ${rule.name}`, spec, deps);
}
