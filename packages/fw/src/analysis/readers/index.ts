import type { Declaration, DeclarationRef, Package } from "../../model/app.ts";
import type { OfKind } from "../../model/declarations.ts";
import { declarationKinds, hasDescription, type DeclarationKind, type KindWith } from "../../model/kinds.ts";
import type { DeclarationCall } from "../resolution/declarations.ts";
import type { Project } from "../source/project.ts";
import { alert } from "./alert.ts";
import { auth } from "./auth.ts";
import { authenticator } from "./authenticator.ts";
import { bucket } from "./bucket.ts";
import { channel } from "./channel.ts";
import { subscribe, worker } from "./consumer.ts";
import { cron } from "./cron.ts";
import { destination } from "./destination.ts";
import { endpoint, mount, page, socket } from "./endpoint.ts";
import { entity } from "./entity.ts";
import { errorShape } from "./error-shape.ts";
import { feed } from "./feed.ts";
import { limit } from "./limit.ts";
import { mail } from "./mail.ts";
import { nameOnly } from "./named.ts";
import { policy } from "./policy.ts";
import { runner } from "./runner.ts";
import { service } from "./service.ts";
import { serviceName } from "./service-name.ts";
import { singleton } from "./singleton.ts";
import { site } from "./site.ts";
import { tenant } from "./tenant.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import type { Misplaced, Parsed, ParsedOf, ParsedPackage } from "./parsed.ts";
import { spanIn, type Source } from "./source.ts";

/** Readers for the kinds of declarations with more than a name. */
const readers: {
  readonly [Name in Exclude<DeclarationKind, KindWith<"nameOnly">>]: DeclarationReader<ParsedOf<Name>, OfKind<Name>>;
} = {
  api: endpoint,
  page,
  mount,
  socket,
  site,
  service,
  // For a status page only the location matters.
  status: { read: () => ({}), model: () => ({}) },
  errors: errorShape,
  entity,
  auth,
  authenticator,
  policy,
  tenant,
  queue: destination,
  topic: destination,
  job: destination,
  worker,
  subscribe,
  runner,
  cron,
  singleton,
  bucket,
  limit,
  feed,
  mail,
  channel,
  alert,
};

/** Reads one declaration. Never throws, whatever the arguments are. */
export function readDeclaration(project: Project, declared: DeclarationCall): Parsed {
  const { name, module, call, placement, variable } = declared;
  const source: Source = { project, module };
  if (placement !== "const" || variable === undefined) {
    return {
      kind: "misplaced",
      name,
      placement: placement === "const" ? "expression" : placement,
      at: spanIn(source, call.callee),
    };
  }
  const kind = declarationKinds[name];
  const declaration = reference(source, variable, declared);
  const { read } = readerOf(kind);
  return { kind, declaration, ...read({ ...source, call, declaration, name }) } as Parsed;
}

function readerOf(kind: DeclarationKind): DeclarationReader<Exclude<Parsed, Misplaced>, Declaration> {
  const reader = hasDescription(kind, "nameOnly") ? nameOnly : readers[kind];
  return reader as DeclarationReader<Exclude<Parsed, Misplaced>, Declaration>;
}

function reference(source: Source, variable: string, { exported, call }: DeclarationCall): DeclarationRef {
  const binding = source.module.bindings.get(variable);
  const at = spanIn(source, binding?.kind === "variable" ? binding.node.id : call.callee);
  return { module: source.module.path, variable, exported, at };
}

/** Builds the model of a package from its complete declarations. If the rules report nothing, all are complete. */
export function packageModel({ name, dir, reads }: ParsedPackage): Package {
  const declarations = reads.flatMap((read) => (read.kind === "misplaced" ? [] : (modelOf(read, name) ?? [])));
  const settings = declarations.find(({ kind }) => kind === "service");
  return { name, dir, service: settings ? serviceName(name, settings.declaration) : name, declarations };
}

function modelOf(parsed: Exclude<Parsed, Misplaced>, service: string): Declaration | undefined {
  const { kind, declaration } = parsed;
  const facts: object | undefined = readerOf(kind).model(parsed, service);
  return facts && ({ kind, declaration, ...facts } as Declaration);
}
