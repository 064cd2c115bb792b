import { calledFields, fieldsIn } from "../body/fields.ts";
import type { BundledAuthenticator } from "../bundle.ts";
import type { RequestFields } from "../decode/header-cookie.ts";
import { queryList, queryPairs } from "../decode/query-string.ts";
import type { Exchange } from "../exchange/exchange.ts";

export interface Credentials {
  readonly fields: RequestFields;
  /** The query string, still encoded. */
  readonly query: string;
  /** True if browsers may send the credentials automatically: cookies, or passwords that the browser has stored. */
  readonly isAmbient: boolean;
  /** The serialized credentials for another service, which runs the authenticator itself. */
  readonly text: string;
}
type Credential = BundledAuthenticator["credentials"][number];

/** Returns the credentials for the first authenticator that `hasCredentials` accepts; undefined if there is none. */
export function readCredentials(
  authenticators: readonly BundledAuthenticator[],
  request: Pick<Exchange, "header" | "rawHeaders">,
  query: string,
): Credentials | undefined {
  const fields = fieldsIn(request);
  const authenticator = authenticators.find((each) => hasCredentials(each, fields, query));
  if (authenticator === undefined) return undefined;
  const inputs = authenticator.credentials.map((each) => [each, valuesOf(each, fields, query)] as const);
  return {
    fields,
    query,
    isAmbient: inputs.some(([each, values]) => values.some((value) => isSentAutomatically(each, value))),
    get text() {
      return new URLSearchParams(
        inputs.flatMap(([{ source, name }, values]) =>
          values.map((value): [string, string] => [`${source} ${name}`, value]),
        ),
      ).toString();
    },
  };
}

/** Parses the `text` of credentials from another service. */
export function parseCredentials(text: string): Credentials {
  const query = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(text))
    if (name.startsWith("query ")) query.append(name.slice("query ".length), value);
  return { fields: calledFields(text), query: query.toString(), isAmbient: false, text };
}

/** True if a request has every input that an authenticator requires, and at least one input. */
export function hasCredentials(
  { credentials }: Pick<BundledAuthenticator, "credentials">,
  fields: RequestFields,
  query: string,
): boolean {
  const has = (each: Credential): boolean => valuesOf(each, fields, query).length > 0;
  return credentials.every((each) => !each.required || has(each)) && credentials.some(has);
}

function valuesOf({ source, name }: Credential, fields: RequestFields, query: string): readonly string[] {
  if (source === "header") return fields.header(name);
  return source === "cookie" ? fields.cookie(name) : parametersOf(query, name);
}

/** Returns the values of a query parameter; none if the query string is invalid. */
function parametersOf(query: string, name: string): readonly string[] {
  if (query === "") return [];
  try {
    return queryList(queryPairs(query), name, "") ?? [];
  } catch {
    return [];
  }
}

/** Schemes whose credentials browsers store and send with requests from any site. */
const ambientScheme = /^(?:basic|digest|negotiate|ntlm)\b/i;

function isSentAutomatically({ source, name }: Credential, value: string): boolean {
  return source === "cookie" || (source === "header" && name === "authorization" && ambientScheme.test(value));
}
