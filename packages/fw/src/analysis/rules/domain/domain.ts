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
  const holders = new Map<string, ParsedService>();
  for (const service of packages.flatMap((read) => ofKind(read, "service").slice(0, 1))) {
    const { domain } = service.config.settings;
    if (domain?.value === undefined || hostnameMistake(domain.value)) continue;
    const holder = holders.get(domain.value);
    if (!holder) holders.set(domain.value, service);
    else yield shared(domain.value, service, holder);
  }
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
