import { indexTexts } from "../../lib/derived-indexes.ts";
import { declarationLine } from "../../generate/graph/declarations.ts";
import { accessTexts } from "../../generate/graph/access.ts";
import { graphScaling, scalingWords } from "../../generate/graph/scaling.ts";
import { scalarWords } from "../../generate/type-words.ts";
import { formatDuration } from "../../lib/duration.ts";
import type { App, Declaration, Endpoint, Package } from "../../model/app.ts";
import { allOfKind, declarationKey, endpointsOf } from "../../model/declarations.ts";
import { lineOf } from "../../model/diagnostic.ts";
import { grantsOf } from "../../model/grants.ts";
import { resourceOf } from "../../model/resources.ts";
import { servicesIn } from "../../model/services.ts";
import type { EntryUses } from "../../model/uses.ts";

export interface DeclarationContext {
  readonly app: App;
  readonly pkg: Package;
  /** The uses of each handler of the application. */
  readonly uses: readonly EntryUses[];
}

/** Describes a declaration in Markdown: a title, then one line for each fact. */
export function declarationText(around: DeclarationContext, subject: Declaration): string {
  const { title, facts } = summarize(around, subject);
  const all = [...facts, ...serviceFacts(around, subject), ...useFacts(around, subject), ...usedBy(around, subject)];
  return [`**${escapeMarkdown(title)}**`, ...all.map((fact) => `- ${escapeMarkdown(fact)}`)].join("\n");
}

interface DeclarationSummary {
  readonly title: string;
  readonly facts: readonly string[];
}

function summarize(around: DeclarationContext, subject: Declaration): DeclarationSummary {
  const { app } = around;
  switch (subject.kind) {
    case "api":
    case "page":
    case "mount":
    case "socket":
      return {
        title: `${endpointWords[subject.kind]} ${subject.route.pattern}`,
        facts: endpointFacts(app, subject),
      };
    case "site": {
      const { dir, build, notFound, fallback } = subject;
      const facts = [
        ...(build ? [`built by ${build.command} into ${build.out}`] : []),
        ...(notFound === undefined ? [] : [`404 page: ${notFound}`]),
        ...(fallback === undefined ? [] : [`all other paths: ${fallback}`]),
      ];
      return { title: `Site ${dir === "" ? "." : dir}`, facts };
    }
    case "service":
      return { title: `Service ${around.pkg.service}`, facts: [subject.domain ?? "no domain"] };
    case "status":
      return { title: "StatusPage", facts: [] };
    case "errors":
      return { title: "ErrorShape", facts: [] };
    case "policy":
      return {
        title: "Policy",
        facts: [
          subject.roles === undefined
            ? "its function decides"
            : `admits users with the role ${subject.roles.join(" or ")}`,
          ...listNames("guards", guardedBy(app, subject)),
        ],
      };
    case "entity":
      return { title: graphText(app, subject), facts: indexFacts(app, subject.name) };
    default:
      return { title: graphText(app, subject), facts: [] };
  }
}

const endpointWords = { api: "API", page: "Page", mount: "Mount", socket: "Socket" } as const;

/** Returns the declaration's line in `fw gen graph`, with commas between columns, or its kind if it has no line. */
function graphText(app: App, subject: Declaration): string {
  return (declarationLine(app, subject) ?? subject.kind).replace(/ {2,}/g, ", ");
}

function endpointFacts(app: App, endpoint: Endpoint): readonly string[] {
  const { request, settings } = endpoint;
  const bound = request.bound.map(({ source, wire, type, list, optional }) => {
    const words = list ? `list of ${scalarWords(type)}` : scalarWords(type);
    return `${source} ${wire}: ${words}${optional ? ", optional" : ""}`;
  });
  const body = request.body.length === 0 ? [] : [`body: ${request.body.map(({ name }) => name).join(", ")}`];
  const cached = settings.maxAge === undefined ? [] : [`cached for ${formatDuration(settings.maxAge * 1_000)}`];
  const tools = listNames("offers", endpoint.tools?.map(({ variable }) => `tool ${variable}`) ?? []);
  return [`access: ${accessTexts(app)(endpoint)}`, ...bound, ...body, ...cached, ...tools, ...alertsOn(app, endpoint)];
}

function alertsOn({ packages }: App, { declaration }: Endpoint): readonly string[] {
  const watching = allOfKind(packages, "alert").filter(({ condition: { of } }) => {
    return of.kind === "endpoint" && declarationKey(of) === declarationKey(declaration);
  });
  return listNames(
    "watched by",
    watching.map(({ name }) => `alert ${name}`),
  );
}

function guardedBy({ packages }: App, { declaration }: Declaration): readonly string[] {
  return packages
    .flatMap(endpointsOf)
    .filter(({ settings: { allow } }) => allow !== undefined && declarationKey(allow) === declarationKey(declaration))
    .map(({ route }) => route.pattern);
}

function indexFacts({ indexes = [] }: App, entity: string): readonly string[] {
  return indexes
    .filter((index) => index.entity === entity)
    .map(({ fields, neededBy }) => {
      const order = indexTexts(fields).join(", ");
      return `index ${order}, needed by ${neededBy.map(lineOf).join(" ")}`;
    });
}

/** Describes the service that runs the declaration's code, and its scaling if declared. */
function serviceFacts({ pkg }: DeclarationContext, { kind, declaration }: Declaration): readonly string[] {
  const key = declarationKey(declaration);
  const services = servicesIn(pkg).filter(
    ({ entries, kind: of }) =>
      entries.some((entry) => declarationKey(entry) === key) || (kind === "service" && of === "app"),
  );
  return services.flatMap((service) => {
    const scaling = graphScaling(service);
    return [`service ${service.name}`, ...(scaling.declared ? [`runs on ${scalingWords(scaling)}`] : [])];
  });
}

/** Lists the resources that the declaration's own code uses. */
function useFacts({ pkg, uses }: DeclarationContext, { declaration }: Declaration): readonly string[] {
  const own = { name: "", kind: "app", package: pkg, entries: [declaration] } as const;
  return grantsOf(own, uses).map(({ kind, name, operations }) => {
    return `uses ${`${kind} ${name}`.trim()}: ${operations.join(", ")}`;
  });
}

/** Lists the handlers whose code uses the declared resource. */
function usedBy({ pkg, uses }: DeclarationContext, subject: Declaration): readonly string[] {
  const resource = resourceOf(pkg, subject);
  const users = uses.flatMap((entry) => {
    const ownUses = entry.uses.filter(({ kind, name }) => kind === resource?.kind && name === resource.name);
    const operations = [...new Set(ownUses.map(({ operation }) => operation))].toSorted();
    return operations.length === 0 ? [] : [`${entry.variable} of ${entry.module} (${operations.join(", ")})`];
  });
  const verb = "route" in subject ? "called by" : "used by";
  return listNames(verb, users);
}

const mostListed = 8;

function listNames(verb: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const rest = names.length > mostListed ? ` and ${names.length - mostListed} more` : "";
  return [`${verb} ${names.slice(0, mostListed).join(", ")}${rest}`];
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~]/g, String.raw`\$&`);
}
