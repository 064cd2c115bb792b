import { jsonLine } from "../../runtime/observe/log-line.ts";
import type { LogRecord } from "../../runtime/observe/log.ts";

/** The field that Cloud Logging uses to group a line with the platform's own log entry for the request. */
const traceField = "logging.googleapis.com/trace";

/** Returns a function that formats records for Cloud Logging: a line of JSON with the severity, time and trace. */
export function cloudLine(project: string): (record: LogRecord) => string {
  return (record) => {
    const { trace, ...tags } = record.tags;
    if (trace === undefined) return jsonLine(record);
    return jsonLine({ ...record, tags: { ...tags, [traceField]: `projects/${project}/traces/${trace}` } });
  };
}
