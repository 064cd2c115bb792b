import { jsonLine } from "../../runtime/observe/log-line.ts";
import type { LogRecord } from "../../runtime/observe/log.ts";

/** The field by which Cloud Logging shows a line below the platform's own of its request. */
const traceField = "logging.googleapis.com/trace";

/** Writes a record as Cloud Logging reads a line of standard output: with its severity, its time, and the trace that it belongs to. */
export function cloudLine(project: string): (record: LogRecord) => string {
  return (record) => {
    const { trace, ...tags } = record.tags;
    if (trace === undefined) return jsonLine(record);
    return jsonLine({ ...record, tags: { ...tags, [traceField]: `projects/${project}/traces/${trace}` } });
  };
}
