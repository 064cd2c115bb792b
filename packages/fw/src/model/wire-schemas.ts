import type { Endpoint } from "./app.ts";
import { answerSchemas } from "./reply-shape.ts";
import { bodySchemas } from "./request-shape.ts";
import type { Schema } from "./schema.ts";

/** Returns the schemas of everything that an endpoint receives and sends as JSON. */
export function wireSchemas(endpoint: Endpoint): readonly Schema[] {
  const { request, messages } = endpoint;
  const socket = messages === undefined ? [] : [messages.received, messages.sent];
  return [...answerSchemas(endpoint), ...bodySchemas(request), ...socket];
}
