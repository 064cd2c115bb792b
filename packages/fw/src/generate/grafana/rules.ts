import { conditionText, type AlertRule } from "../../lib/alert-rule.ts";
import { formatDuration } from "../../lib/duration.ts";
import { alertRules } from "../../model/alert-rules.ts";
import type { App } from "../../model/app.ts";
import { promQL } from "./promql.ts";

/** A rule file of Prometheus, as data. JSON is valid YAML, so Prometheus reads its JSON text. */
export interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly PrometheusRule[] }[];
}

interface PrometheusRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Returns the declared alerts as rules of Prometheus. Alertmanager routes them by the label `channels`. */
export function prometheusRules(app: App): RuleFile {
  const rules = alertRules(app).map((rule) => prometheusRule(app.name, rule));
  return { groups: rules.length === 0 ? [] : [{ name: app.name, rules }] };
}

function prometheusRule(app: string, rule: AlertRule): PrometheusRule {
  const { name, condition, every, notify } = rule;
  return {
    alert: name,
    expr: promQL.condition(condition, formatDuration(every)),
    ...(rule.for > 0 && { for: formatDuration(rule.for) }),
    labels: { app, channels: notify.join(",") },
    annotations: { summary: conditionText(condition) },
  };
}
