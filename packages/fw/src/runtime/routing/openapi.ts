import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { sendRefusal } from "../response/refusal.ts";
import { sendText } from "../response/send.ts";

/** Where the application's OpenAPI document is below `/_fw/`, in development. */
export const openApiPath = "z/openapi.json";

/** Answers with the document, where there is one. */
export function answerOpenApi(request: Request, document: string | undefined): void {
  if (document === undefined) sendRefusal(request, { status: 404, message: messages.notFound }, true);
  else sendText(request, 200, "application/json", ["Cache-Control", "no-store"], document);
}
