import type { Change } from "../../evolution/change.ts";
import type { Diagnostic, Span } from "../../model/diagnostic.ts";
import { reportedChange } from "../against/report.ts";
import { jsonText } from "./json-text.ts";

/**
 * The output of `--json`. Later versions only add members; a breaking change increases `version`. Lines and columns
 * count from 1, and columns are in UTF-16 units. Ends are exclusive. Paths are relative to the application's root, with
 * forward slashes.
 */
interface DiagnosticsReport {
  readonly version: 1;
  readonly diagnostics: readonly ReportedDiagnostic[];
  /** For `fw check --against`: every difference, including those that need no action. */
  readonly changes?: readonly object[];
}

interface PrintOptions {
  readonly changes?: readonly Change[] | undefined;
}

interface ReportedDiagnostic extends Span {
  /** `fw/<rule-id>`, `ts<number>`, or another word, such as `syntax` or `template`. */
  readonly code: string;
  readonly message: string;
  /** The suggested fix, or null. */
  readonly hint: string | null;
  readonly severity: "error" | "warning";
  readonly related: readonly (Span & { readonly message: string })[];
}

export function printJson(diagnostics: readonly Diagnostic[], { changes }: PrintOptions = {}): string {
  const report: DiagnosticsReport = {
    version: 1,
    diagnostics: diagnostics.map(reportDiagnostic),
    ...(changes && { changes: changes.map(reportedChange) }),
  };
  return jsonText(report);
}

function reportDiagnostic({ code, at, message, hint, severity, related = [] }: Diagnostic): ReportedDiagnostic {
  const places = related.map((other) => ({ ...span(other.at), message: other.message }));
  return { code, ...span(at), message, hint: hint ?? null, severity: severity ?? "error", related: places };
}

function span({ path, line, column, endLine, endColumn }: Span): Span {
  return { path, line, column, endLine, endColumn };
}
