import { nameOf, type Api } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { methodsOf, onProject, type ResourceKind } from "../methods.ts";
import { Resources } from "../resources.ts";
import { openDashboards, type Dashboard } from "./dashboards.ts";
import { policyAndChannelMethods } from "./policies.ts";

type Labels = Readonly<Record<string, string>>;

interface Point {
  readonly interval?: { readonly startTime?: string; readonly endTime?: string };
  readonly value?: unknown;
}

/** A time series with the points of one call, or with all points so far. */
export interface TimeSeries {
  readonly metric?: { readonly type?: string; readonly labels?: Labels };
  readonly resource?: { readonly type?: string; readonly labels?: Labels };
  readonly metricKind?: "GAUGE" | "DELTA" | "CUMULATIVE";
  readonly valueType?: string;
  readonly points?: readonly Point[];
}

interface Descriptor {
  readonly type?: string;
  readonly metricKind?: string;
  readonly valueType?: string;
  readonly labels?: readonly { readonly key?: string }[];
}

/**
 * Milliseconds between two points of a series. cloud.google.com/monitoring/quotas, "Rate at which data can be written
 * to a single time series": one point each 5 seconds; faster calls fail with INVALID_ARGUMENT.
 */
const samplingPeriod = 5000;

/** Cloud Monitoring: metrics that applications write. */
export class Monitoring {
  readonly series: Map<string, TimeSeries> = new Map();
  readonly descriptors: Resources<Descriptor>;
  readonly dashboards: Resources<Dashboard>;
  readonly api: Api;
  readonly #cloud: Cloud;

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
    const prefix = `projects/${cloud.project.id}/metricDescriptors/`;
    this.descriptors = new Resources<Descriptor>({
      methods: "monitoring.projects.metricDescriptors",
      permissions: "monitoring.metricDescriptors",
      on: onProject(cloud),
      items: "metricDescriptors",
      name: (call) => nameOf(call).replace(/^projects\/[^/]+\/metricDescriptors\//, ""),
      newName: (call) => (call.body as Descriptor).type ?? "",
      missing: (type) => new Refusal("NOT_FOUND", `Cannot find metric(s) that match type = "${type}".`),
      make: ({ body }, type) => {
        if (!/^(?:custom|workload|external)\.googleapis\.com\//.test(type))
          throw invalid(
            `Field metricDescriptor.type had an invalid value of "${type}": Must be a user-defined metric.`,
          );
        this.#describe(body as Descriptor);
        return this.descriptors.byName(type);
      },
      json: (descriptor) => ({ ...descriptor, name: `${prefix}${descriptor.type}` }),
    });
    this.dashboards = openDashboards(cloud);
    this.api = {
      host: "monitoring.googleapis.com",
      methods: { ...this.#methods(), ...policyAndChannelMethods(cloud), ...this.dashboards.methods() },
    };
  }

  #methods(): Api["methods"] {
    const on = onProject(this.#cloud);
    const series: ResourceKind = {
      methods: "monitoring.projects.timeSeries",
      permissions: "monitoring.timeSeries",
      on,
    };
    return {
      ...methodsOf(series, {
        create: (call) => this.#create((call.body as { timeSeries?: readonly TimeSeries[] }).timeSeries ?? []),
      }),
      ...this.descriptors.methods(),
    };
  }

  /** Stores the valid points and reports the invalid ones. */
  #create(series: readonly TimeSeries[]): unknown {
    if (series.length === 0 || series.length > 200) {
      throw invalid(
        `Field timeSeries had an invalid value: it must have between 1 and 200 elements, and has ${series.length}.`,
      );
    }
    const identities = series.map((one) => identityOf(one));
    const twice = identities.findIndex((one, at) => identities.indexOf(one) !== at);
    if (twice !== -1)
      throw invalid(
        `Field timeSeries[${twice}] had an invalid value: Duplicate TimeSeries encountered. Only one point can be written per TimeSeries per request.`,
      );
    const wrong = series
      .map((one, at) => ({ at, message: this.#write(one) }))
      .filter(({ message }) => message !== undefined);
    if (wrong.length === 0) return {};
    const list = wrong.map(({ at, message }) => `timeSeries[${at}]: ${message}`).join("; ");
    throw new Refusal("INVALID_ARGUMENT", `One or more TimeSeries could not be written: ${list}`, {
      details: [
        {
          "@type": "type.googleapis.com/google.monitoring.v3.CreateTimeSeriesSummary",
          totalPointCount: series.length,
          successPointCount: series.length - wrong.length,
          errors: [{ status: { code: 3 }, pointCount: wrong.length }],
        },
      ],
    });
  }

  #write(series: TimeSeries): string | undefined {
    const { metric, metricKind = "GAUGE", valueType, points = [], resource } = series;
    const [point] = points;
    const end = Date.parse(point?.interval?.endTime ?? "");
    if (!point || points.length !== 1) return `Field points had an invalid value: it must have exactly 1 element.`;
    if (Number.isNaN(end)) return `Field points[0].interval.endTime had an invalid value.`;
    if (!metric?.type || !resource?.type) return "Field metric.type or resource.type was not set.";
    const now = this.#cloud.clock.now();
    if (end > now + 300_000) return "Data points cannot be written more than 5 minutes in the future.";
    if (end < now - 25 * 3_600_000) return "Data points cannot be written more than 25h in the past.";
    const start = Date.parse(point.interval?.startTime ?? "");
    if (metricKind === "CUMULATIVE" && !(start < end))
      return "The start time must be before the end time for a CUMULATIVE metric.";
    const mismatch = this.#describe({
      type: metric.type,
      metricKind,
      valueType: valueType ?? typeOf(point.value),
      labels: Object.keys(metric.labels ?? {}).map((key) => ({ key })),
    });
    if (mismatch !== undefined) return mismatch;
    const identity = identityOf(series);
    const before = this.series.get(identity)?.points?.at(-1);
    const lastEnd = Date.parse(before?.interval?.endTime ?? "");
    const lastStart = Date.parse(before?.interval?.startTime ?? "");
    if (end <= lastEnd)
      return "Points must be written in order. One or more of the points specified had an older end time than the most recent point.";
    if (end - lastEnd < samplingPeriod)
      return "One or more points were written more frequently than the maximum sampling period configured for the metric.";
    if (metricKind === "CUMULATIVE" && before && start !== lastStart && start <= lastEnd) {
      return "The start time of a CUMULATIVE point must be that of the point before, or after its end.";
    }
    this.series.set(identity, { ...series, points: [...(this.series.get(identity)?.points ?? []), point] });
    return undefined;
  }

  /**
   * Creates a metric's descriptor at the first write. Later writes may add labels; returns the problem if their kind or
   * value type differs.
   */
  #describe(descriptor: Descriptor): string | undefined {
    const knownDescriptor = this.descriptors.get(descriptor.type ?? "");
    const all = [...(knownDescriptor?.labels ?? []), ...(descriptor.labels ?? [])];
    // Merges the labels of repeated descriptors.
    const labels = [...new Map(all.map((label) => [label.key, label])).values()];
    this.descriptors.set(descriptor.type ?? "", knownDescriptor ? { ...knownDescriptor, labels } : descriptor);
    if (
      !knownDescriptor ||
      (knownDescriptor.metricKind === descriptor.metricKind && knownDescriptor.valueType === descriptor.valueType)
    )
      return undefined;
    return `Value type for metric ${descriptor.type} must be ${knownDescriptor.valueType}, but is ${descriptor.valueType}; its kind must be ${knownDescriptor.metricKind}, but is ${descriptor.metricKind}.`;
  }
}

/** Returns a key that identifies a series. */
function identityOf({ metric, resource }: TimeSeries): string {
  return JSON.stringify([metric?.type, sorted(metric?.labels), resource?.type, sorted(resource?.labels)]);
}

function sorted(labels: Labels = {}): string[][] {
  return Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function typeOf(value: unknown): string {
  const [name = ""] = Object.keys((value as object | undefined) ?? {});
  return name.replace(/Value$/, "").toUpperCase();
}
