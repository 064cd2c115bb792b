import { documentsAttribute, type Span } from "../../runtime/observe/span.ts";
import type { SpanEvent } from "../event-hub.ts";
import { operationBytes, operationDetails, type CapturedOperation } from "./operation-details.ts";
import { isOutgoingSpan, outgoingName, shapeKey } from "./step-shape.ts";

/** The bytes of a span without strings. */
const fixedSpanBytes = 400;

/** A completed span as the runtime reports it. Becomes an event only when the console asks for it. */
export class SpanRecord {
  readonly #span: Span;
  readonly #operation: CapturedOperation | undefined;
  /** Tagged JSON. */
  readonly #documents: string | undefined;

  constructor(span: Span, operation: CapturedOperation | undefined, documents?: string) {
    this.#span = span;
    this.#operation = operation;
    this.#documents = documents;
  }

  /** The approximate bytes in memory. */
  get bytes(): number {
    const { name, attributes } = this.#span;
    const url = attributes["url.full"];
    const characters = name.length + (typeof url === "string" ? url.length : 0) + (this.#documents?.length ?? 0);
    return fixedSpanBytes + 2 * characters + operationBytes(this.#operation);
  }

  get trace(): string {
    return this.#span.trace.id;
  }

  get failed(): boolean {
    return this.#span.failed;
  }

  get isQuery(): boolean {
    return this.#span.name.startsWith("entity.");
  }

  view(): SpanEvent {
    const { trace, id, parent, name, failed, startedAt, ms, attributes } = this.#span;
    const attempt = attributes["fw.attempt"];
    const rewritten = attributes[documentsAttribute];
    const shape = shapeKey(this.#span, this.#operation);
    const outgoing = isOutgoingSpan(this.#span) ? this.#outgoing() : undefined;
    const operation = outgoing === undefined ? this.#operation : undefined;
    const details = typeof rewritten === "number" ? { documents: rewritten } : operation && operationDetails(operation);
    return {
      kind: "span",
      at: performance.timeOrigin + startedAt,
      ms,
      trace: trace.id,
      id,
      ...(parent !== undefined && { parent }),
      name,
      failed,
      ...(shape !== undefined && { shape }),
      ...outgoing,
      ...(details && { details }),
      ...(this.#documents !== undefined && { documents: this.#documents }),
      ...(typeof attempt === "number" && { attempt }),
    };
  }

  /**
   * Returns the event's properties for an outgoing request. The name contains the request's path only if the operation
   * was captured with its values.
   */
  #outgoing(): Pick<SpanEvent, "name" | "group" | "status" | "error"> {
    const { attributes } = this.#span;
    const [status, error] = [attributes["http.response.status_code"], attributes["error.type"]];
    const target = this.#operation?.target;
    return {
      name: target === undefined ? outgoingName(this.#span) : `${attributes["http.request.method"]} ${target}`,
      group: outgoingName(this.#span),
      ...(typeof status === "number" && { status }),
      ...(typeof error === "string" && error !== String(status) && { error }),
    };
  }
}
