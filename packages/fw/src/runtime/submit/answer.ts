import { HTML, isHTML } from "../../declare/html.ts";
import { isRedirection, Redirection } from "../../declare/redirect.ts";
import { isReply, reply, type Reply } from "../../declare/reply.ts";
import type { RawHeaders } from "../exchange/exchange.ts";
import type { Request } from "../request.ts";

/** Limit: characters of a response to a form that fw stores to repeat for a second submit. */
const answerCharacters = 256 * 1024;

/** A page's response as it is stored. */
interface StoredAnswer {
  readonly body: { readonly text: string; readonly document: boolean } | StoredRedirection | null;
  readonly reply?: Pick<Reply, "status" | "headers" | "cookies">;
  /** Headers and cookies that the handler set outside its result, such as a flash message. */
  readonly headers: RawHeaders;
  readonly cookies: readonly string[];
}

interface StoredRedirection {
  readonly target: string;
  readonly permanent: boolean;
}

/** Returns the text of a response; undefined for a response that cannot be stored: a Blob or a large page. */
export function answerText(request: Request, result: unknown): string | undefined {
  const body = bodyOf(isReply(result) ? result.body : result);
  if (body === undefined) return undefined;
  const { headers = [], cookies = [] } = request.collected ?? {};
  const stored: StoredAnswer = { body, ...(isReply(result) && { reply: repliedParts(result) }), headers, cookies };
  const text = JSON.stringify(stored);
  return text.length > answerCharacters ? undefined : text;
}

function bodyOf(result: unknown): StoredAnswer["body"] | undefined {
  if (result === undefined) return null;
  if (isHTML(result)) return { text: result.text, document: result.document };
  return isRedirection(result) ? { target: result.target, permanent: result.permanent } : undefined;
}

function repliedParts({ status, headers, cookies }: Reply): StoredAnswer["reply"] {
  return { status, headers, cookies };
}

/** Returns the result of the first submit, and sets its headers and cookies for this request. */
export function restoreAnswer(request: Request, text: string): unknown {
  const { body, reply: parts, headers, cookies } = JSON.parse(text) as StoredAnswer;
  for (let i = 0; i < headers.length; i += 2) request.draft.addHeader(String(headers[i]), String(headers[i + 1]));
  request.draft.cookies.push(...cookies);
  const result = restoreBody(body);
  return parts === undefined ? result : reply(result, parts);
}

function restoreBody(body: StoredAnswer["body"]): unknown {
  if (body === null) return undefined;
  return "text" in body ? new HTML(body.text, body.document) : new Redirection(body.target, body.permanent);
}
