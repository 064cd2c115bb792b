import type { ClientRequest, IncomingMessage } from "node:http";
import { decodeTagged } from "../../../lib/tagged-json.ts";
import { PlatformError } from "../../errors.ts";
import type { Failure } from "../protocol.ts";

/** Resolves with the response; rejects with a BrokenConnection if the connection breaks first. */
export function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    request.on("error", (error) => reject(new BrokenConnection(error)));
  });
}

/** Reads the result; rejects with the failure that the response describes. */
export async function resultOf(response: IncomingMessage): Promise<unknown> {
  const text = await textOf(response);
  if (response.statusCode === 200) return decodeTagged(text);
  const { code, message, subject } = JSON.parse(text) as Failure;
  throw code === undefined ? new Error(message) : new PlatformError(code, message, subject);
}

export class BrokenConnection extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

function textOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => (text += chunk));
    response.on("end", () => resolve(text));
    response.on("error", (error) => reject(new BrokenConnection(error)));
  });
}
