import { refusedError, unansweredError } from "./cloud-error.ts";
import { Unanswered, type Connections, type Outgoing } from "./connections.ts";
import { wholeText } from "./whole-text.ts";

/** What is answered, as text, to a question that changes nothing. Rejects with a CloudError, which names the request so. */
export async function textAnswer(connections: Connections, outgoing: Outgoing, request: string): Promise<string> {
  const answer = await connections.send(outgoing).catch((error: unknown) => {
    throw error instanceof Unanswered ? unansweredError(request, error, false) : error;
  });
  const text = await wholeText(answer.body);
  if (answer.status >= 300) throw refusedError(request, { ...answer, text });
  return text;
}
