import { formatByteSize, parseByteSize } from "../../../lib/byte-size.ts";
import { multipartBytes } from "../../../lib/limits.ts";
import type { ParsedEndpoint } from "../../readers/endpoint.ts";
import type { Rule } from "../../rule.ts";
import { constantMistake } from "../phrases.ts";
import { isEndpoint } from "../select.ts";

/** Limit: the largest maxBody of a route without uploads, which is the platform's limit for a request. */
const longestBodyBytes = 32 * 1024 * 1024;

export const maxBody: Rule = {
  id: "max-body",
  title:
    '`maxBody` is a constant size from `"1B"` to `"32MB"`, or to `"1GB"` for uploads, on a route whose requests have a body',
  *declaration(read) {
    if (!isEndpoint(read)) return;
    yield* constantMistake("maxBody", read.config.settings.maxBody, hint, (value) => mistake(read, value));
  },
};

const hint = 'write a literal such as "512KB" or "10MB"; use signed URLs of a bucket for larger uploads';

function mistake({ kind, types }: ParsedEndpoint, value: unknown): string | undefined {
  const bytes = typeof value === "string" ? parseByteSize(value) : undefined;
  const text = JSON.stringify(value);
  if (bytes === undefined) return `the maxBody ${text} is not a size`;
  if (bytes < 1) return `the maxBody ${text} allows no body`;
  const carries = types?.request.shape.carries;
  if (carries === "nothing" && kind !== "socket") return "maxBody has no effect: requests of this route have no body";
  const most = carries === "multipart" || carries === "stream" ? multipartBytes : longestBodyBytes;
  return bytes > most ? `the maxBody ${text} is larger than ${formatByteSize(most)}` : undefined;
}
