import { flattenLine } from "../../lib/log-members.ts";
import type { CloudClient } from "../../platform/gcp/rest/client.ts";
import { fieldsOf, itemsOf, textOf, type Fields } from "../fields.ts";
import type { DeployPlace } from "../place.ts";

/** A service of an application, and what Cloud Run calls it. */
export interface LoggedUnit {
  readonly service: string;
  readonly runs: "service" | "job";
  readonly name: string;
}

/** An entry of Cloud Logging, in the words of the log of this machine. */
export interface CloudLogEntry {
  readonly time: string;
  readonly severity: string;
  readonly service: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What services of one place have logged. */
export interface LoggedPlace {
  readonly place: DeployPlace;
  readonly units: readonly LoggedUnit[];
  readonly client: Pick<CloudClient, "call">;
  /** The instant, in milliseconds since 1970, before which nothing is read. */
  readonly since: number;
  /** Entries that are there, at most. */
  readonly most: number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/** Entries of one page, at most. */
const pageEntries = 1_000;

/** Milliseconds between two looks: of lists of entries, a project takes sixty in a minute. */
const lookMs = 3_000;

/**
 * Milliseconds by which an entry may come in late and still be told: those of two services do not come in the order of
 * their times.
 */
const lateMs = 60_000;

/** Reads the log of a deployed application: what is there, and then what comes in, each entry once. */
export class CloudLog {
  readonly #logged: LoggedPlace;
  /** The times of entries that were read, by what names them. */
  readonly #read = new Map<string, number>();
  #since: number;

  constructor(logged: LoggedPlace) {
    this.#logged = logged;
    this.#since = logged.since;
  }

  /** The newest entries, the oldest of them first. */
  async newest(): Promise<readonly CloudLogEntry[]> {
    const { most } = this.#logged;
    const { entries } = await this.#list({ orderBy: "timestamp desc", pageSize: most });
    const fresh = this.#fresh(entries).toReversed();
    // What there was no room for is not told later either.
    if (entries.length === most) this.#since = Math.min(...this.#read.values());
    return fresh;
  }

  /** Entries as they come in, until the signal; none that was read before. */
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
      await this.#logged.sleep(lookMs, signal).catch(() => {});
    }
  }

  /** What is so old that nothing beside it comes in any more is not asked for again. */
  #forget(): void {
    this.#since = Math.max(this.#since, Math.max(...this.#read.values()) - lateMs);
    for (const [name, time] of this.#read) if (time < this.#since) this.#read.delete(name);
  }

  /** Those that were not read before, from now on read. */
  #fresh(entries: readonly Fields[]): readonly CloudLogEntry[] {
    return entries.flatMap((entry) => {
      const name = `${textOf(entry["timestamp"])} ${textOf(entry["insertId"])} ${textOf(entry["logName"])}`;
      if (this.#read.has(name)) return [];
      this.#read.set(name, Date.parse(textOf(entry["timestamp"])));
      return [entryOf(entry, this.#logged.units)];
    });
  }

  async #list(asked: {
    readonly orderBy: string;
    readonly pageSize: number;
    readonly pageToken?: string | undefined;
  }): Promise<{ readonly entries: readonly Fields[]; readonly pageToken: string | undefined }> {
    const { place, units, client } = this.#logged;
    const body = {
      resourceNames: [`projects/${place.project}`],
      filter: filterOf(place, units, this.#since),
      ...asked,
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

/**
 * What containers have printed, and what Cloud Run says of them; not its own line of every request, which the
 * framework writes better.
 */
const logs = ["stdout", "stderr", "varlog/system"];

function filterOf({ project, region }: DeployPlace, units: readonly LoggedUnit[], since: number): string {
  const named = (runs: LoggedUnit["runs"], type: string, label: string): string[] => {
    const names = units.filter((unit) => unit.runs === runs).map(({ name }) => name);
    return names.length === 0 ? [] : [`(resource.type="${type}" AND resource.labels.${label}=${anyOf(names)})`];
  };
  const of = [...named("service", "cloud_run_revision", "service_name"), ...named("job", "cloud_run_job", "job_name")];
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
