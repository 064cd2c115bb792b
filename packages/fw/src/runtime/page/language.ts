import type { Context } from "../../declare/context.ts";
import { readCookie } from "../access/cookies.ts";
import { outsideTransaction } from "../calls/origin.ts";
import { RequestContext } from "../request-context.ts";

/** The cookie for the language that a user has chosen. */
const cookie = "language";

/**
 * Chooses the language of a page: the handler's choice, or else the first available of the `language` cookie,
 * Accept-Language and the default. Ignores the cookie for a shared page (`maxAge`).
 */
export function languageOf(ctx: Context, languages: readonly string[], choice: string | undefined): string {
  const [first = "en"] = languages;
  const own = choice === undefined ? undefined : find(languages, choice);
  if (own !== undefined || languages.length < 2) return own ?? first;
  const request = RequestContext.requestOf(outsideTransaction(ctx));
  if (request === undefined) return first;
  const { exchange, draft, endpoint } = request;
  draft.addHeader("Vary", "Accept-Language");
  const chosen = (endpoint?.maxAge ?? 0) > 0 ? undefined : readCookie(exchange.header("cookie"), cookie);
  return find(languages, chosen ?? "") ?? accepted(languages, exchange.header("accept-language") ?? "") ?? first;
}

function accepted(languages: readonly string[], header: string): string | undefined {
  const ranges = header.split(",", 32).map((range) => {
    const [name = "", quality = ""] = range.split(";", 2);
    const q = /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(quality)?.[1];
    return { name: name.trim(), quality: quality === "" ? 1 : Number(q ?? 0) };
  });
  const preferences = ranges.filter(({ quality }) => quality > 0).toSorted((a, b) => b.quality - a.quality);
  for (const { name } of preferences) {
    const language = find(languages, name);
    if (language !== undefined) return language;
  }
  return undefined;
}

/**
 * Finds a language by its full name, or else its base language (`pt` for `pt-BR`), or else the first with the same base
 * (`de-CH` for `de` or `de-AT`).
 */
function find(languages: readonly string[], name: string): string | undefined {
  const lower = name.toLowerCase();
  const [base = ""] = lower.split("-", 1);
  const is = (test: (language: string) => boolean): string | undefined =>
    languages.find((language) => test(language.toLowerCase()));
  return (
    is((each) => each === lower) ??
    is((each) => each === base) ??
    is((each) => each.split("-", 1)[0] === base && base !== "")
  );
}
