import type { Schema } from "./schema.ts";

/** The bodies of a handler's responses with one status, if it returns replies. */
export interface ReplyShape {
  /** Undefined for a body that is returned without `reply`. */
  readonly status?: number;
  readonly body: Schema;
  /** True if every body is an error that the handler returns and an ErrorShape formats. */
  readonly isError?: boolean;
}

/** Returns the schemas of an endpoint's plain response and its replies. */
export function answerSchemas({ response, replies = [] }: AnswerShape): readonly Schema[] {
  return [response, ...replies.map(({ body }) => body)];
}

interface AnswerShape {
  readonly response: Schema;
  readonly replies?: readonly ReplyShape[];
}
