import { homedir } from "node:os";

export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: number;
  /** The output or response of a failed check. */
  readonly detail?: string;
}

export interface Report {
  readonly version: 1;
  readonly fw: string;
  readonly node: string;
  readonly platform: string;
  readonly region: string;
  readonly startedAt: string;
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
  readonly notCovered: readonly string[];
}

/**
 * Formats the report as text. Masks credentials of known forms, email addresses, long numbers, the project's id and the
 * home directory.
 */
export function reportText(report: Report, project: string): string {
  return `${redact(JSON.stringify(report, undefined, 2), project)}\n`;
}

const rules: readonly (readonly [RegExp, string])[] = [
  [/\bya29\.[\w.-]+/g, "<token>"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, "<token>"],
  [/\bBearer\s+[\w.~+/=-]+/gi, "Bearer <token>"],
  [/\bAIza[\w-]{20,}/g, "<key>"],
  [/([?&](?:X-Goog-Signature|access_token|key)=)[^&"\s\\]+/gi, "$1<key>"],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, "<account>"],
  [/\b\d{10,13}\b/g, "<number>"],
];

function redact(text: string, project: string): string {
  const local = text.replaceAll(homedir(), "~").replaceAll(project, "<project>");
  return rules.reduce((redacted, [pattern, placeholder]) => redacted.replaceAll(pattern, placeholder), local);
}
