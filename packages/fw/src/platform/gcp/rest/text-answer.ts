import { refusedError, unansweredError } from "./cloud-error.ts";
import { NoResponse, type Connections, type Outgoing } from "./connections.ts";
import { readText } from "./read-text.ts";

/**
 * Sends an idempotent request and returns the response as text. Without a response, or if the status is 300 or above,
 * rejects with a CloudError that names `request`.
 */
export async function textAnswer(connections: Connections, outgoing: Outgoing, request: string): Promise<string> {
  const answer = await connections.send(outgoing).catch((error: unknown) => {
    throw error instanceof NoResponse ? unansweredError(request, error, false) : error;
  });
  const text = await readText(answer.body);
  if (answer.status >= 300) throw refusedError(request, { ...answer, text });
  return text;
}
