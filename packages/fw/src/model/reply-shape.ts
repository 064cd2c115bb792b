import type { Schema } from "./schema.ts";

/** The bodies of a handler's responses with one status, if some are replies. */
export interface ReplyShape {
  /** Undefined for a body that is returned without `reply`. */
  readonly status?: number;
  readonly body: Schema;
  /** True if each is an error that the handler returns, which an ErrorShape writes. */
  readonly isError?: boolean;
}

/** The schemas of what an endpoint answers with, refusals among it. */
export function answerSchemas({ response, replies = [] }: AnswerShape): readonly Schema[] {
  return [response, ...replies.map(({ body }) => body)];
}

interface AnswerShape {
  readonly response: Schema;
  readonly replies?: readonly ReplyShape[];
}
