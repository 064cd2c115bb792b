import { percentDecoded } from "../../lib/percent.ts";
import type { BundledEndpoint } from "../bundle.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { RequestFields } from "../decode/header-cookie.ts";

/** The header in which a calling service sends the exact headers and cookies that the endpoint binds. */
export const calledFieldsHeader = "x-fw-fields";

/**
 * Returns a request's headers and cookies if its endpoint binds any. A calling service sends the bound ones in
 * `x-fw-fields`.
 */
export function fieldsOf(
  {
    exchange,
    caller,
  }: { readonly exchange: Pick<Exchange, "header" | "rawHeaders">; readonly caller?: string | undefined },
  { varies }: Pick<BundledEndpoint, "varies">,
): RequestFields | undefined {
  if (varies === undefined) return undefined;
  if (caller === undefined) return fieldsIn(exchange);
  return calledFields(exchange.header(calledFieldsHeader));
}

/** Reads headers and cookies as the client sent them. */
export function fieldsIn({ rawHeaders }: Pick<Exchange, "rawHeaders">): RequestFields {
  return new BroughtFields(rawHeaders);
}

/** Parses the result of `wireFields`. */
export function calledFields(text = ""): RequestFields {
  return new CalledFields(text);
}

/** The headers and cookies of a client's request. */
class BroughtFields implements RequestFields {
  readonly #rawHeaders: readonly string[];

  constructor(rawHeaders: readonly string[]) {
    this.#rawHeaders = rawHeaders;
  }

  header(name: string): readonly string[] {
    const values: string[] = [];
    for (let i = 0; i < this.#rawHeaders.length; i += 2) {
      if (this.#rawHeaders[i]?.toLowerCase() === name) values.push(this.#rawHeaders[i + 1] ?? "");
    }
    return values;
  }

  headerList(name: string): readonly string[] {
    return this.header(name).flatMap(elementsOf);
  }

  cookie(name: string): readonly string[] {
    return this.header("cookie").flatMap((header) =>
      header.split(";").flatMap((pair) => {
        const equals = pair.indexOf("=");
        // Not trim(), for the reason given at readCookie.
        return equals !== -1 && pair.slice(0, equals).replace(/^[ \t]+/, "") === name
          ? [cookieValue(pair.slice(equals + 1).trim())]
          : [];
      }),
    );
  }
}

/** The headers and cookies of a call from another service. */
class CalledFields implements RequestFields {
  readonly #pairs: readonly (readonly [string, string])[];

  constructor(text: string) {
    this.#pairs = [...new URLSearchParams(text)];
  }

  header(name: string): readonly string[] {
    return this.#pairs.flatMap(([key, value]) => (key.toLowerCase() === `header ${name}` ? [value] : []));
  }

  headerList(name: string): readonly string[] {
    return this.header(name);
  }

  cookie(name: string): readonly string[] {
    return this.#pairs.flatMap(([key, value]) => (key === `cookie ${name}` ? [value] : []));
  }
}

/** Splits a comma-separated header, but not at commas inside quotes. */
function elementsOf(header: string): readonly string[] {
  const elements: string[] = [];
  let quoted = false;
  let start = 0;
  for (let i = 0; i <= header.length; i++) {
    const character = header[i];
    if (character === '"') quoted = !quoted;
    else if (character === "\\" && quoted) i++;
    else if (character === undefined || (character === "," && !quoted)) {
      elements.push(header.slice(start, i).trim());
      start = i + 1;
    }
  }
  return elements.filter((each) => each !== "");
}

/** Strips quotes and decodes percent-encoded UTF-8, the way scripts write cookies. */
function cookieValue(text: string): string {
  return percentDecoded(text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text);
}
