import type { Diagnostic, Span } from "../../model/diagnostic.ts";
import { descriptionOf } from "../../model/kinds.ts";
import type { Misplaced, Parsed, ParsedPackage } from "./parsed.ts";
import { serviceName } from "./service-name.ts";

/** Handlers that would be services of one name: each Worker, Subscribe, Runner and Singleton is one of its own. */
export function sharedServices(packages: readonly ParsedPackage[]): readonly Diagnostic[] {
  const firsts = new Map<string, Span>();
  for (const { name, reads } of packages) {
    const settings = reads.find((read) => read.kind === "service");
    const placed = settings ?? reads.find((read) => "declaration" in read);
    if (placed && "declaration" in placed) {
      firsts.set(settings ? serviceName(name, settings.declaration) : name, placed.declaration.at);
    }
  }
  return packages.flatMap(({ name, reads }) =>
    reads.filter(isService).flatMap(({ declaration }) => {
      const { at } = declaration;
      const service = serviceName(name, declaration);
      const first = firsts.get(service);
      if (!first) firsts.set(service, at);
      return first ? shared(service, first, at) : [];
    }),
  );
}

function isService(read: Parsed): read is Exclude<Parsed, Misplaced> {
  return read.kind !== "misplaced" && descriptionOf(read.kind).runs === "alone";
}

function shared(service: string, first: Span, at: Span): Diagnostic {
  return {
    code: "package",
    at,
    message: `the service "${service}" is declared twice`,
    hint: "a handler is a service named for its package and its variable: give one of the two another name",
    related: [{ at: first, message: "the first is declared here" }],
  };
}
