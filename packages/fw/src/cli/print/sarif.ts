import type { Rule } from "../../analysis/rule.ts";
import type { Diagnostic, Span } from "../../model/diagnostic.ts";
import { jsonText } from "./json-text.ts";

/** Formats diagnostics as SARIF 2.1.0: one run of the tool `fw`, with paths relative to `SRCROOT`. */
export function printSarif(diagnostics: readonly Diagnostic[], rules: readonly Pick<Rule, "id" | "title">[]): string {
  const ruleDescriptors = rules.map(({ id, title }) => ({ id: `fw/${id}`, shortDescription: { text: title } }));
  const indexes = new Map(ruleDescriptors.map(({ id }, index) => [id, index]));
  return jsonText({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "fw", rules: ruleDescriptors } },
        columnKind: "utf16CodeUnits",
        results: diagnostics.map((diagnostic) => result(diagnostic, indexes.get(diagnostic.code))),
      },
    ],
  });
}

function result(
  { code, at, message, hint, severity, related = [] }: Diagnostic,
  ruleIndex: number | undefined,
): object {
  return {
    ruleId: code,
    ...(ruleIndex === undefined ? {} : { ruleIndex }),
    level: severity ?? "error",
    message: { text: hint === undefined ? message : `${message}\n${hint}` },
    locations: [{ physicalLocation: physicalLocation(at) }],
    relatedLocations: related.map((other, id) => ({
      id,
      physicalLocation: physicalLocation(other.at),
      message: { text: other.message },
    })),
  };
}

function physicalLocation({ path, line, column, endLine, endColumn }: Span): object {
  const uri = path.split("/").map(uriSegment).join("/");
  return {
    artifactLocation: { uri, uriBaseId: "SRCROOT" },
    region: { startLine: line, startColumn: column, endLine, endColumn },
  };
}

/** Encodes a path segment. A lone surrogate in a file name has no percent-encoding. */
function uriSegment(segment: string): string {
  return encodeURIComponent(segment.replace(/\p{Cs}/gu, "\ufffd"));
}
