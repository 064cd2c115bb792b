import { repeats } from "../../../lib/grouped.ts";
import type { ParsedApp } from "../../readers/parsed.ts";
import type { ParsedService } from "../../readers/service.ts";
import type { Finding, Rule } from "../../rule.ts";
import { ofKind } from "../select.ts";
import { hostnameMistake } from "./hostname.ts";

export const domain: Rule = {
  id: "domain",
  title: "A domain is a bare fully-qualified hostname of one service",
  *declaration(read) {
    const setting = read.kind === "service" ? read.config.settings.domain : undefined;
    if (setting?.value === undefined) return;
    const mistake = hostnameMistake(setting.value);
    if (mistake)
      yield { at: setting.at, message: `the domain "${setting.value}" ${mistake.problem}`, hint: mistake.hint };
  },
  app: sharedDomains,
};

/** A name leads to one service, so the second that claims it could never be deployed. */
function* sharedDomains({ packages }: ParsedApp): Iterable<Finding> {
  const services = packages.flatMap((pkg) => ofKind(pkg, "service").slice(0, 1));
  for (const { first, again } of repeats(services, domainOf)) yield shared(domainOf(again) ?? "", again, first);
}

function domainOf({ config }: ParsedService): string | undefined {
  const domain = config.settings.domain?.value;
  return domain === undefined || hostnameMistake(domain) ? undefined : domain;
}

function shared(name: string, service: ParsedService, holder: ParsedService): Finding {
  return {
    at: placeOf(service),
    message: `the domain "${name}" is declared by two services`,
    hint: "a name leads to one service; give this one its own",
    related: [{ at: placeOf(holder), message: "the other service declares it here" }],
  };
}

function placeOf({ config, declaration }: ParsedService): Finding["at"] {
  return config.settings.domain?.at ?? declaration.at;
}
