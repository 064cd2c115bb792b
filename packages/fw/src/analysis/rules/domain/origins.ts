import { hostNameOf } from "../../../lib/host-name.ts";
import type { ParsedPackage } from "../../readers/parsed.ts";
import { originsIn, type ParsedService } from "../../readers/service.ts";
import type { Finding, Rule } from "../../rule.ts";
import { because, causedBy } from "../phrases.ts";
import { endpointsOf, ofKind } from "../select.ts";

export const origins: Rule = {
  id: "origins",
  title:
    'The `origins` of a `Service` are a list of exact origins, or `"*"` without `credentials`, and the service has public APIs',
  *declaration(read) {
    if (read.kind === "service") yield* mistakes(read);
  },
  package: withoutAPIs,
};

const hint = 'write a list such as ["https://app.example.com"], or "*"';

function* mistakes({ config }: ParsedService): Iterable<Finding> {
  const { origins: setting, credentials } = config.settings;
  if (!setting) {
    if (credentials?.value !== true) return;
    yield { at: credentials.at, message: "credentials needs origins, and none are set", hint };
    return;
  }
  const { at, value, why, cause } = setting;
  const allowedOrigins = originsIn(value);
  if (value === undefined) {
    yield { at, message: `the origins are not constant${because(why)}`, hint, ...causedBy(cause) };
  } else if (allowedOrigins === undefined)
    yield { at, message: 'the origins are neither a list of strings nor "*"', hint };
  else if (allowedOrigins.length === 0) yield { at, message: "the list of origins is empty", hint: "remove it" };
  else if (allowedOrigins === "*" && credentials?.value === true) {
    const message = "with every origin allowed and cookies sent, any website could act as a signed-in user";
    yield { at: credentials.at, message, hint: "list the origins, or remove credentials" };
  } else if (allowedOrigins !== "*") yield* allowedOrigins.flatMap((origin) => originMistake(origin, at));
}

function originMistake(origin: string, at: Finding["at"]): readonly Finding[] {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === undefined || !isWeb || origin.includes("*")) {
    return [{ at, message: `the origin ${JSON.stringify(origin)} is not an origin that browsers send`, hint }];
  }
  if (url.origin !== origin) {
    const exact = JSON.stringify(url.origin);
    return [{ at, message: `the origin ${JSON.stringify(origin)} is not exact`, hint: `write ${exact}` }];
  }
  if (url.protocol === "https:" || isLocal(url)) return [];
  const message = `the origin "${origin}" does not use https, so anyone on the network could impersonate it`;
  return [{ at, message, hint: `write "https://${url.host}"` }];
}

function isLocal({ host }: URL): boolean {
  const name = hostNameOf(host);
  return /(?:^|\.)localhost$|^127\.|^\[?::1\]?$/.test(name);
}

function* withoutAPIs(read: ParsedPackage): Iterable<Finding> {
  const setting = ofKind(read, "service")[0]?.config.settings.origins;
  if (!setting) return;
  if (endpointsOf(read).some(({ kind, config }) => kind !== "page" && config.settings.private?.value !== true)) return;
  const message = "origins allows calls from other origins, but this service has no public API";
  yield { at: setting.at, message, hint: "remove origins; pages and files do not need it" };
}
