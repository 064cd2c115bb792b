import { flattenLine } from "../../lib/log-members.ts";
import type { App } from "../../model/app.ts";
import { consumersOf } from "../../model/declarations.ts";
import { servicesOf } from "../../model/services.ts";
import { jobName, serviceName } from "../../platform/gcp/names.ts";
import type { CloudClient } from "../../platform/gcp/rest/client.ts";
import { fieldsOf, itemsOf, textOf, type Fields } from "../fields.ts";
import type { DeployPlace } from "../deploy-place.ts";

/** A service of an application and its name in Cloud Run. */
export interface LoggedUnit {
  readonly service: string;
  readonly runs: "service" | "job";
  readonly name: string;
}

/**
 * Returns an application's services with their names in Cloud Run. The Cloud Run job of a runner is named after its
 * `Job`.
 */
export function unitsOf(app: App, place: DeployPlace): readonly LoggedUnit[] {
  return servicesOf(app).map(({ name: service, kind, package: pkg }) => {
    if (kind !== "runner") return { service, runs: "service", name: serviceName(place, service) };
    const source = consumersOf(pkg).find((consumer) => consumer.service === service)?.source;
    return { service, runs: "job", name: jobName(place, source?.name ?? service) };
  });
}

/** A log entry of Cloud Logging in fw's format. */
export interface CloudLogEntry {
  readonly time: string;
  readonly severity: string;
  readonly service: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface LogSource {
  readonly place: DeployPlace;
  readonly units: readonly LoggedUnit[];
  readonly client: Pick<CloudClient, "call">;
  /** Entries before this time (in milliseconds since 1970) are skipped. */
  readonly since: number;
  /** The maximum number of existing entries to return. */
  readonly limit: number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

const pageEntries = 1_000;

/** Milliseconds between polls: Cloud Logging allows sixty requests per minute and project. */
const pollMs = 3_000;

/** Milliseconds that an entry may be late and still be printed: entries of different services arrive out of order. */
const lateMs = 60_000;

/** Reads the log of a deployed application: existing entries, then new ones, each of them once. */
export class CloudLog {
  readonly #source: LogSource;
  /** The times of the returned entries, keyed by their identity. */
  readonly #read = new Map<string, number>();
  #since: number;

  constructor(logged: LogSource) {
    this.#source = logged;
    this.#since = logged.since;
  }

  /** Returns the newest entries, up to the limit, oldest first. */
  async newest(): Promise<readonly CloudLogEntry[]> {
    const { limit } = this.#source;
    const { entries } = await this.#list({ orderBy: "timestamp desc", pageSize: limit });
    const fresh = this.#fresh(entries).toReversed();
    // Entries beyond the limit must not be returned later either.
    if (entries.length === limit) this.#since = Math.min(...this.#read.values());
    return fresh;
  }

  /** Yields new entries until the signal aborts. */
  async *follow(signal: AbortSignal): AsyncGenerator<readonly CloudLogEntry[]> {
    while (!signal.aborted) {
      let pageToken: string | undefined;
      do {
        const page = await this.#list({ orderBy: "timestamp asc", pageSize: pageEntries, pageToken });
        const fresh = this.#fresh(page.entries);
        if (fresh.length > 0) yield fresh;
        ({ pageToken } = page);
      } while (pageToken !== undefined && !signal.aborted);
      this.#forget();
      await this.#source.sleep(pollMs, signal).catch(() => {});
    }
  }

  /** Moves the start forward, but leaves time for late entries. */
  #forget(): void {
    this.#since = Math.max(this.#since, Math.max(...this.#read.values()) - lateMs);
    for (const [name, time] of this.#read) if (time < this.#since) this.#read.delete(name);
  }

  /** Returns the new entries and marks them as read. */
  #fresh(entries: readonly Fields[]): readonly CloudLogEntry[] {
    return entries.flatMap((entry) => {
      const name = `${textOf(entry["timestamp"])} ${textOf(entry["insertId"])} ${textOf(entry["logName"])}`;
      if (this.#read.has(name)) return [];
      this.#read.set(name, Date.parse(textOf(entry["timestamp"])));
      return [entryOf(entry, this.#source.units)];
    });
  }

  async #list(query: {
    readonly orderBy: string;
    readonly pageSize: number;
    readonly pageToken?: string | undefined;
  }): Promise<{ readonly entries: readonly Fields[]; readonly pageToken: string | undefined }> {
    const { place, units, client } = this.#source;
    const body = {
      resourceNames: [`projects/${place.project}`],
      filter: filterOf(place, units, this.#since),
      ...query,
    };
    const { entries, nextPageToken } = await client.call<Fields>({
      api: "logging",
      method: "POST",
      path: "/v2/entries:list",
      body,
      repeatable: true,
    });
    return { entries: itemsOf(entries), pageToken: textOf(nextPageToken) || undefined };
  }
}

/** The output of containers and Cloud Run's system messages, but not its request log, which duplicates fw's. */
const logs = ["stdout", "stderr", "varlog/system"];

function filterOf({ project, region }: DeployPlace, units: readonly LoggedUnit[], since: number): string {
  const filterFor = (runs: LoggedUnit["runs"], type: string, label: string): string[] => {
    const names = units.filter((unit) => unit.runs === runs).map(({ name }) => name);
    return names.length === 0 ? [] : [`(resource.type="${type}" AND resource.labels.${label}=${anyOf(names)})`];
  };
  const of = [
    ...filterFor("service", "cloud_run_revision", "service_name"),
    ...filterFor("job", "cloud_run_job", "job_name"),
  ];
  return [
    `(${of.join(" OR ")})`,
    `resource.labels.location="${region}"`,
    `logName=${anyOf(logs.map((log) => `projects/${project}/logs/run.googleapis.com%2F${log.replaceAll("/", "%2F")}`))}`,
    `timestamp>="${new Date(since).toISOString()}"`,
  ].join("\n");
}

function anyOf(texts: readonly string[]): string {
  return `(${texts.map((text) => JSON.stringify(text)).join(" OR ")})`;
}

function entryOf(entry: Fields, units: readonly LoggedUnit[]): CloudLogEntry {
  const { timestamp, severity, resource, jsonPayload, textPayload, trace } = entry;
  const labels = fieldsOf(fieldsOf(resource)["labels"]);
  const name = textOf(labels["service_name"]) || textOf(labels["job_name"]);
  const payload = fieldsOf(jsonPayload);
  const { message } = payload;
  return {
    time: textOf(timestamp),
    severity: textOf(severity) || "DEFAULT",
    service: units.find((unit) => unit.name === name)?.service ?? name,
    message: textOf(message) || textOf(textPayload).trimEnd(),
    fields: { ...flattenLine(payload), ...(textOf(trace) !== "" && { trace: textOf(trace) }) },
  };
}
