import { repeats } from "../../../lib/grouped.ts";
import { domainCharacters } from "../../../lib/limits.ts";
import type { ParsedApp } from "../../readers/parsed.ts";
import type { ParsedService } from "../../readers/service.ts";
import type { Finding, Rule } from "../../rule.ts";
import { ofKind } from "../select.ts";

export const domain: Rule = {
  id: "domain",
  title: "A domain is a bare fully-qualified hostname of at most 64 characters, and belongs to one service",
  *declaration(read) {
    const setting = read.kind === "service" ? read.config.settings.domain : undefined;
    if (setting?.value === undefined) return;
    const mistake = hostnameMistake(setting.value);
    if (mistake)
      yield { at: setting.at, message: `the domain "${setting.value}" ${mistake.problem}`, hint: mistake.hint };
  },
  app: sharedDomains,
};

/** Reports a domain that a second service declares, which could never be deployed. */
function* sharedDomains({ packages }: ParsedApp): Iterable<Finding> {
  const services = packages.flatMap((pkg) => ofKind(pkg, "service").slice(0, 1));
  for (const { first, again } of repeats(services, domainOf)) yield sharedDomain(domainOf(again) ?? "", again, first);
}

function domainOf({ config }: ParsedService): string | undefined {
  const domain = config.settings.domain?.value;
  return domain === undefined || hostnameMistake(domain) ? undefined : domain;
}

function sharedDomain(name: string, service: ParsedService, holder: ParsedService): Finding {
  return {
    at: placeOf(service),
    message: `the domain "${name}" is declared by two services`,
    hint: "a domain belongs to one service; choose another for this one",
    related: [{ at: placeOf(holder), message: "the other service declares it here" }],
  };
}

function placeOf({ config, declaration }: ParsedService): Finding["at"] {
  return config.settings.domain?.at ?? declaration.at;
}

interface HostnameMistake {
  /** A phrase to put after "the domain …". */
  readonly problem: string;
  readonly hint: string;
}

const bare = 'write a bare fully-qualified name, such as "shop.example.com"';

/** Finds the mistake in a declared domain; `undefined` if it is valid. */
export function hostnameMistake(text: string): HostnameMistake | undefined {
  return containedMistake(text) ?? shapeMistake(text) ?? labelMistake(text);
}

/** Finds parts of a URL before or after the hostname, or a final dot. The hint shows the hostname alone. */
function containedMistake(text: string): HostnameMistake | undefined {
  const name = text
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/[/?#:].*$/s, "")
    .replace(/\.$/, "");
  const hint = isHostname(name) ? `write "${name}"` : bare;
  if (text.includes("://")) return { problem: "has a scheme", hint };
  if (/[/?#]/.test(text)) return { problem: "has a path", hint };
  if (text.includes(":")) return { problem: "has a port", hint };
  if (text.endsWith(".")) return { problem: "ends with a dot", hint };
  return undefined;
}

function shapeMistake(text: string): HostnameMistake | undefined {
  if (text === "") return { problem: "is empty", hint: "remove the setting to use the platform's address" };
  if (text.includes("*")) return { problem: "is a wildcard", hint: "declare one name; a service has one domain" };
  if (!text.includes(".")) return { problem: "has no dot", hint: bare };
  if (text.length > domainCharacters) {
    return {
      problem: `is longer than ${domainCharacters} characters`,
      hint: "the platform does not support longer names",
    };
  }
  if (/^[\d.]+$/.test(text)) return { problem: "is an address, not a name", hint: bare };
  return undefined;
}

function labelMistake(text: string): HostnameMistake | undefined {
  const lower = text.toLowerCase();
  if (lower !== text && isHostname(lower)) return { problem: "has capital letters", hint: `write "${lower}"` };
  const label = text.split(".").find((name) => !isLabel(name));
  if (label === undefined) return undefined;
  if (label === "") return { problem: "has two dots in a row or begins with one", hint: bare };
  if (/[^\p{ASCII}]/u.test(label)) return { problem: "has non-ASCII letters", hint: "write its xn-- form" };
  return {
    problem: `has "${label}", which is not a part of a hostname`,
    hint: "each part between dots has 1 to 63 letters, digits and hyphens, with a letter or digit at both ends",
  };
}

function isHostname(text: string): boolean {
  return text.includes(".") && text.length <= domainCharacters && text.split(".").every(isLabel);
}

function isLabel(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(text);
}
