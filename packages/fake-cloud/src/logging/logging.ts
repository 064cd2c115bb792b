import type { Api } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid } from "../errors.ts";
import { projectResource } from "../iam/resources.ts";
import { parseFilter } from "./filter.ts";

interface Entry {
  readonly logName?: string;
  readonly timestamp?: string;
  readonly severity?: string;
  readonly resource?: { readonly type?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly insertId?: string;
  readonly jsonPayload?: unknown;
  readonly textPayload?: string;
}

/** Cloud Logging: stored entries, and filters over them. */
export class Logging {
  readonly entries: Entry[] = [];
  readonly api: Api;

  readonly #cloud: Cloud;

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
    this.api = {
      host: "logging.googleapis.com",
      methods: {
        "logging.entries.list": {
          needs: () => [{ permission: "logging.logEntries.list", resource: projectResource(cloud) }],
          run: (call) => {
            const body = call.body as {
              filter?: string;
              orderBy?: string;
              pageSize?: number;
              pageToken?: string;
              resourceNames?: readonly string[];
            };
            if (!body.resourceNames?.length) throw invalid("resource_names is required.");
            const matching = this.entries.filter(parseFilter(body.filter ?? ""));
            matching.sort((a, b) => Date.parse(a.timestamp ?? "") - Date.parse(b.timestamp ?? ""));
            if (body.orderBy === "timestamp desc") matching.reverse();
            const from = Number(body.pageToken ?? 0);
            const size = body.pageSize ?? 50;
            return {
              entries: matching.slice(from, from + size),
              ...(matching.length > from + size && { nextPageToken: String(from + size) }),
            };
          },
        },
      },
    };
  }

  /** Stores a line of a container's output; JSON lines set severity, time and payload. */
  print(logName: string, resource: NonNullable<Entry["resource"]>, line: string): void {
    const payload = objectOf(line);
    const { severity, time, ...jsonPayload } = payload ?? {};
    this.entries.push({
      logName,
      resource,
      timestamp: typeof time === "string" ? time : this.#cloud.clock.timestamp(),
      insertId: String(this.entries.length + 1),
      severity: typeof severity === "string" ? severity : "DEFAULT",
      ...(payload ? { jsonPayload } : { textPayload: line }),
    });
  }
}

/** Parses a line as a JSON object, if it is one. */
function objectOf(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
