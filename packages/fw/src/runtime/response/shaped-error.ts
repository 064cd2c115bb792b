import type { Refusal } from "./refusal.ts";
import type { ErrorAnswer, ErrorShapeDeclaration } from "../../declare/error-shape.ts";
import { exactText } from "../../lib/exact-text.ts";
import { packageOf } from "../application.ts";
import type { Request } from "../request.ts";
import { reportFault } from "./fault.ts";

/** The parts of a refusal that an error shape receives. */
type ShownRefusal = Pick<Refusal, "status" | "message" | "policy" | "detailsText">;

/**
 * Finds the error shape of the responding package: that of the endpoint, or of an endpoint with another method at the
 * path. Undefined for the framework's paths, and for paths without a route.
 */
export function errorShapeOf(request: Request): ErrorShapeDeclaration | undefined {
  const { app, endpoint = endpointAt(request), injected } = request;
  return endpoint === undefined || injected ? undefined : packageOf(app, endpoint)?.errors;
}

function endpointAt({ app: { bundle }, path }: Request): Request["endpoint"] {
  for (const method of bundle.methods) {
    const endpoint = bundle.endpoints[bundle.match(method, path, [])];
    if (endpoint !== undefined) return endpoint;
  }
  return undefined;
}

/** Encodes an error in the application's error shape; undefined if the shape fails, which is logged. */
export function shapedErrorText(
  request: Request,
  { handler }: ErrorShapeDeclaration,
  refusal: ShownRefusal,
): string | undefined {
  try {
    return exactText(handler(answerOf(refusal)));
  } catch (error) {
    reportFault(request, error);
    return undefined;
  }
}

function answerOf({ status, message, policy = "", detailsText }: ShownRefusal): ErrorAnswer {
  const details: unknown = detailsText === undefined ? undefined : JSON.parse(detailsText);
  return { status, message, policy, details, problems: problemsIn(details) ?? firstProblem(status, message) };
}

function problemsIn(details: unknown): ErrorAnswer["problems"] | undefined {
  if (typeof details !== "object" || details === null || !("problems" in details)) return undefined;
  return Array.isArray(details.problems) ? (details.problems as ErrorAnswer["problems"]) : undefined;
}

/** A 400 with a single problem may have it only in its message. */
function firstProblem(status: number, message: string): ErrorAnswer["problems"] {
  const [, at, problem] = /^((?:path|query|form|header|cookie|body)(?: .+?)?): (.+)$/s.exec(message) ?? [];
  return status !== 400 || at === undefined || problem === undefined ? [] : [{ at, problem }];
}
