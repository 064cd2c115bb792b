import { hostNameOf } from "../../../lib/host-name.ts";
import type { ParsedPackage } from "../../readers/parsed.ts";
import { originsIn, type ParsedService } from "../../readers/service.ts";
import type { Finding, Rule } from "../../rule.ts";
import { because, causedBy } from "../phrases.ts";
import { endpointsOf, ofKind } from "../select.ts";

export const origins: Rule = {
  id: "origins",
  title: "The origins of a Service are exact, or all without cookies, and of a service with APIs",
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
    yield { at: credentials.at, message: "credentials are those of other origins, and there are none", hint };
    return;
  }
  const { at, value, why, cause } = setting;
  const allowed = originsIn(value);
  if (value === undefined) {
    yield { at, message: `the origins are not constant${because(why)}`, hint, ...causedBy(cause) };
  } else if (allowed === undefined) yield { at, message: 'the origins are neither a list of texts nor "*"', hint };
  else if (allowed.length === 0) yield { at, message: "the list of origins is empty", hint: "leave it out" };
  else if (allowed === "*" && credentials?.value === true) {
    const message = "every origin is let in, and with cookies every site could act for whoever is signed in";
    yield { at: credentials.at, message, hint: "name the origins, or leave credentials out" };
  } else if (allowed !== "*") yield* allowed.flatMap((origin) => originMistake(origin, at));
}

function originMistake(origin: string, at: Finding["at"]): readonly Finding[] {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === undefined || !isWeb || origin.includes("*")) {
    return [{ at, message: `the origin ${JSON.stringify(origin)} is none that a browser names`, hint }];
  }
  if (url.origin !== origin) {
    const exact = JSON.stringify(url.origin);
    return [{ at, message: `the origin ${JSON.stringify(origin)} is not exact`, hint: `write ${exact}` }];
  }
  if (url.protocol === "https:" || isLocal(url)) return [];
  const message = `the origin "${origin}" is without https, so that anybody on the way could be it`;
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
  const message = "other origins may call the APIs of this service, and it has none that is public";
  yield { at: setting.at, message, hint: "leave origins out; pages and files are nobody's to call" };
}
