import { declarationLine } from "../../generate/graph/declarations.ts";
import { doorTexts } from "../../generate/graph/door.ts";
import { graphScaling, scalingWords } from "../../generate/graph/scaling.ts";
import { scalarWords } from "../../generate/type-words.ts";
import { formatDuration } from "../../lib/duration.ts";
import type { App, Declaration, Endpoint, Package } from "../../model/app.ts";
import { allOfKind, declarationKey, endpointsOf } from "../../model/declarations.ts";
import { grantsOf } from "../../model/grants.ts";
import { resourceOf } from "../../model/resources.ts";
import { servicesIn } from "../../model/services.ts";
import type { EntryUses } from "../../model/uses.ts";

/** Where a declaration stands. */
export interface Around {
  readonly app: App;
  readonly pkg: Package;
  /** What the code of each handler of the application uses. */
  readonly uses: readonly EntryUses[];
}

/** A declaration as it is resolved, in markdown: what it is, then what else is known of it, a line each. */
export function declarationText(around: Around, declared: Declaration): string {
  const { title, facts } = described(around, declared);
  const all = [...facts, ...serviceFacts(around, declared), ...useFacts(around, declared), ...usedBy(around, declared)];
  return [`**${escaped(title)}**`, ...all.map((fact) => `- ${escaped(fact)}`)].join("\n");
}

interface Described {
  readonly title: string;
  readonly facts: readonly string[];
}

function described(around: Around, declared: Declaration): Described {
  const { app } = around;
  switch (declared.kind) {
    case "api":
    case "page":
    case "mount":
    case "socket":
      return {
        title: `${endpointWords[declared.kind]} ${declared.route.pattern}`,
        facts: endpointFacts(app, declared),
      };
    case "site": {
      const { dir, build, notFound, fallback } = declared;
      const facts = [
        ...(build ? [`built by ${build.command} into ${build.out}`] : []),
        ...(notFound === undefined ? [] : [`what is not found shows ${notFound}`]),
        ...(fallback === undefined ? [] : [`every other path is answered with ${fallback}`]),
      ];
      return { title: `Site ${dir === "" ? "." : dir}`, facts };
    }
    case "service":
      return { title: `Service ${around.pkg.service}`, facts: [declared.domain ?? "no domain"] };
    case "status":
      return { title: "StatusPage", facts: [] };
    case "policy":
      return {
        title: "Policy",
        facts: [
          declared.roles === undefined
            ? "its function decides"
            : `admits whoever has the role ${declared.roles.join(" or ")}`,
          ...listed("guards", guardedBy(app, declared)),
        ],
      };
    case "entity":
      return { title: graphWords(app, declared), facts: indexFacts(app, declared.name) };
    default:
      return { title: graphWords(app, declared), facts: [] };
  }
}

const endpointWords = { api: "API", page: "Page", mount: "Mount", socket: "Socket" } as const;

/** As `fw gen graph` tells it. */
function graphWords(app: App, declared: Declaration): string {
  return (declarationLine(app, declared) ?? declared.kind).replace(/ {2,}/g, ", ");
}

function endpointFacts(app: App, endpoint: Endpoint): readonly string[] {
  const { request, settings } = endpoint;
  const bound = request.bound.map(({ source, wire, type, list, optional }) => {
    const words = list ? `list of ${scalarWords(type)}` : scalarWords(type);
    return `${source} ${wire}: ${words}${optional ? ", optional" : ""}`;
  });
  const body = request.body.length === 0 ? [] : [`body: ${request.body.map(({ name }) => name).join(", ")}`];
  const cached = settings.maxAge === undefined ? [] : [`cached for ${formatDuration(settings.maxAge * 1_000)}`];
  return [`who gets in: ${doorTexts(app)(endpoint)}`, ...bound, ...body, ...cached, ...alertsOn(app, endpoint)];
}

function alertsOn({ packages }: App, { declaration }: Endpoint): readonly string[] {
  const watching = allOfKind(packages, "alert").filter(({ condition: { of } }) => {
    return of.kind === "endpoint" && declarationKey(of) === declarationKey(declaration);
  });
  return listed(
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
      const order = fields.map(({ field, direction }) => `${field} ${direction}`).join(", ");
      return `index ${order}, needed by ${neededBy.map(({ path, line }) => `${path}:${line}`).join(" ")}`;
    });
}

/** The service that runs its code, and on what where that is declared. */
function serviceFacts({ pkg }: Around, { kind, declaration }: Declaration): readonly string[] {
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

/** What its own code does with other things. */
function useFacts({ pkg, uses }: Around, { declaration }: Declaration): readonly string[] {
  const own = { name: "", kind: "app", package: pkg, entries: [declaration] } as const;
  return grantsOf(own, uses).map(({ kind, name, operations }) => {
    return `its code may use ${`${kind} ${name}`.trim()}: ${operations.join(", ")}`;
  });
}

/** Whose code does something with it. */
function usedBy({ pkg, uses }: Around, declared: Declaration): readonly string[] {
  const resource = resourceOf(pkg, declared);
  const users = uses.flatMap((entry) => {
    const found = entry.uses.filter(({ kind, name }) => kind === resource?.kind && name === resource.name);
    const operations = [...new Set(found.map(({ operation }) => operation))].toSorted();
    return operations.length === 0 ? [] : [`${entry.variable} of ${entry.module} (${operations.join(", ")})`];
  });
  const verb = "route" in declared ? "called by" : "used by";
  return listed(verb, users);
}

/** Names that a line of an editor's window still holds. */
const mostListed = 8;

function listed(verb: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const rest = names.length > mostListed ? ` and ${names.length - mostListed} more` : "";
  return [`${verb} ${names.slice(0, mostListed).join(", ")}${rest}`];
}

/** What markdown would take for its own is text. */
function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~]/g, String.raw`\$&`);
}
