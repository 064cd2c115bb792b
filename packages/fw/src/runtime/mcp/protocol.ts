import { isObject } from "../../lib/record-in.ts";
import { exactText } from "../../lib/exact-text.ts";

/** The revision without sessions. Each request names its version and the client's capabilities. */
export const modernVersion = "2026-07-28";

/** Revisions whose sessions start with `initialize`, newest first. */
export const legacyVersions: readonly [string, ...string[]] = ["2025-11-25", "2025-06-18"];

export const supportedVersions: readonly string[] = ["2026-07-28", "2025-11-25", "2025-06-18"];

/** The error codes of JSON-RPC and MCP. */
export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** A protocol error, which becomes a JSON-RPC error with an HTTP status. */
export class ProtocolError extends Error {
  readonly status: number;
  readonly code: number;
  readonly data: unknown;

  constructor(status: number, code: number, message: string, data?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

export type Members = Readonly<Record<string, unknown>>;

export type MessageId = string | number;

/** A request from a client, or a notification if it has no id. */
export interface Message {
  readonly id?: MessageId;
  readonly method: string;
  readonly params: Members;
}

/** Reads a JSON-RPC message. Throws a ProtocolError for a batch, a response, or anything else. */
export function messageIn(value: unknown): Message {
  if (Array.isArray(value)) throw invalidRequest("batches are not supported: send one message in each request");
  if (!isObject(value) || value["jsonrpc"] !== "2.0") throw invalidRequest("the body must be one JSON-RPC 2.0 message");
  const { id, method, params = {} } = value;
  if (typeof method !== "string") throw invalidRequest("the message has no method: this server sends no requests");
  if (!isObject(params)) throw invalidRequest("params must be an object");
  if (id === undefined) return { method, params };
  if (typeof id !== "string" && !Number.isSafeInteger(id))
    throw invalidRequest("the id must be a string or an integer");
  return { id: id as MessageId, method, params };
}

function invalidRequest(message: string): ProtocolError {
  return new ProtocolError(400, errorCodes.invalidRequest, message);
}

export function resultResponse(id: MessageId | undefined, result: object): Response {
  return jsonResponse(200, { jsonrpc: "2.0", id, result });
}

/** Creates a response with a JSON-RPC error, and with the id of the request if it could be read. */
export function errorResponse(id: MessageId | undefined, { status, code, message, data }: ProtocolError): Response {
  return jsonResponse(status, { jsonrpc: "2.0", id, error: { code, message, data } });
}

function jsonResponse(status: number, value: object): Response {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return new Response(exactText(value), { status, headers });
}
