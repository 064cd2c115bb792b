import { calledFields, fieldsIn } from "../body/fields.ts";
import type { BundledAuthenticator } from "../bundle.ts";
import type { RequestFields } from "../decode/header-cookie.ts";
import { queryList, queryPairs } from "../decode/query-string.ts";
import type { Exchange } from "../exchange/exchange.ts";

/** What a request brings that an authenticator reads. */
export interface Credentials {
  /** The headers and cookies. */
  readonly fields: RequestFields;
  /** The query string, still encoded. */
  readonly query: string;
  /** True where browsers may send them by themselves: a cookie, or what they keep of a password that somebody typed. */
  readonly isAmbient: boolean;
  /** As they go to another service, which asks its authenticators itself. */
  readonly text: string;
}

type Brings = Pick<Exchange, "header" | "rawHeaders">;
type Credential = BundledAuthenticator["credentials"][number];

/** What a request has of the first authenticator of which it has all that one needs; undefined where there is none. */
export function broughtCredentials(
  authenticators: readonly BundledAuthenticator[],
  request: Brings,
  query: string,
): Credentials | undefined {
  const fields = fieldsIn(request);
  const found = authenticators.find((each) => isBrought(each, fields, query));
  if (found === undefined) return undefined;
  const has = found.credentials.map((each) => [each, valuesOf(each, fields, query)] as const);
  return {
    fields,
    query,
    isAmbient: has.some(([each, values]) => values.some((value) => isSentByItself(each, value))),
    get text() {
      return new URLSearchParams(
        has.flatMap(([{ source, name }, values]) =>
          values.map((value): [string, string] => [`${source} ${name}`, value]),
        ),
      ).toString();
    },
  };
}

/** What `text` of another service's visitor has been made of. */
export function carriedCredentials(text: string): Credentials {
  const query = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(text))
    if (name.startsWith("query ")) query.append(name.slice("query ".length), value);
  return { fields: calledFields(text), query: query.toString(), isAmbient: false, text };
}

/** Whether a request has all that an authenticator needs, and something of what it reads. */
export function isBrought(
  { credentials }: Pick<BundledAuthenticator, "credentials">,
  fields: RequestFields,
  query: string,
): boolean {
  const has = (each: Credential): boolean => valuesOf(each, fields, query).length > 0;
  return credentials.every((each) => !each.needed || has(each)) && credentials.some(has);
}

function valuesOf({ source, name }: Credential, fields: RequestFields, query: string): readonly string[] {
  if (source === "header") return fields.header(name);
  return source === "cookie" ? fields.cookie(name) : parametersOf(query, name);
}

/** What is no query string has no credentials in it. */
function parametersOf(query: string, name: string): readonly string[] {
  if (query === "") return [];
  try {
    return queryList(queryPairs(query), name, "") ?? [];
  } catch {
    return [];
  }
}

/** Schemes of which a browser keeps what somebody typed, and sends it with requests of any site. */
const kept = /^(?:basic|digest|negotiate|ntlm)\b/i;

function isSentByItself({ source, name }: Credential, value: string): boolean {
  return source === "cookie" || (source === "header" && name === "authorization" && kept.test(value));
}
