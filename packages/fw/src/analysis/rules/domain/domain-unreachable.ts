import type { ParsedPackage } from "../../readers/parsed.ts";
import type { Rule } from "../../rule.ts";
import { endpointsOf, ofKind } from "../select.ts";

export const domainUnreachable: Rule = {
  id: "domain-unreachable",
  title: "A package with a domain serves public traffic",
  *package(read) {
    const domain = ofKind(read, "service")[0]?.config.settings.domain;
    if (domain?.value === undefined || mayBePublic(read)) return;
    yield {
      at: domain.at,
      message: `the package "${read.name}" has a domain but serves no public traffic`,
      hint: "declare a public API, a public Page or a Site here, or move the domain to the package that has one",
    };
  },
};

/** True for a package with public routes. One with unreadable settings counts; its mistake is already reported. */
function mayBePublic(read: ParsedPackage): boolean {
  return (
    read.reads.some(({ kind }) => kind === "site" || kind === "misplaced") ||
    endpointsOf(read).some(({ config }) => config.settings.private?.value !== true)
  );
}
