import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { sendRefusal } from "../response/refusal.ts";
import { sendText } from "../response/send.ts";

/** The path of the application's OpenAPI document below `/_fw/`, in development. */
export const openApiPath = "z/openapi.json";

/** Responds with the document, or with 404 if there is none. */
export function answerOpenApi(request: Request, document: string | undefined): void {
  if (document === undefined) sendRefusal(request, { status: 404, message: messages.notFound }, true);
  else sendText(request, 200, "application/json", ["Cache-Control", "no-store"], document);
}
