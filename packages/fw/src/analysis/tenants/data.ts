import { cachedByObject } from "../../lib/cached-by-object.ts";
import { declarationKey } from "../../model/declarations.ts";
import type { Span } from "../../model/diagnostic.ts";
import { descriptionOf, type DeclarationKind, type KindWith } from "../../model/kinds.ts";
import { readsIn, type DeclaredCall, type DeclaredModule } from "../declared.ts";
import type { ParsedConsumer } from "../readers/consumer.ts";
import type { ParsedEndpoint } from "../readers/endpoint.ts";
import type { Parsed } from "../readers/parsed.ts";
import type { ParsedPolicy } from "../readers/policy.ts";
import { isSeparable, tenantSettingOf } from "../readers/separation.ts";
import { tenantsOf } from "../readers/tenant.ts";
import { isEndpoint } from "../rules/select.ts";

/** A declaration with data, and the Tenant that separates it; `tenants` is undefined for data shared by all tenants. */
export interface SeparatedData {
  readonly kind: KindWith<"perTenant">;
  readonly variable: string;
  readonly tenants: string | undefined;
  /** True if the declaration has a `tenant` setting. */
  readonly isMarked: boolean;
  readonly at: Span;
}

/** The declarations that matter for tenants, by `declarationKey`. */
export interface TenantData {
  readonly data: ReadonlyMap<string, SeparatedData>;
  readonly tenants: ReadonlyMap<string, string>;
  readonly policies: ReadonlyMap<string, ParsedPolicy>;
}

/** The state of a context: its tenant, if it is inside one, and whether its code is for operators. */
export interface ContextState {
  readonly inside: string | undefined;
  readonly isOperator: boolean;
  /** The declaration whose handler received the context first. */
  readonly origin: string;
}

/** True if any module declares a Tenant. */
export function declareTenants(modules: readonly DeclaredModule[]): boolean {
  return modules.some(declaresTenant);
}

const declaresTenant = cachedByObject((module: DeclaredModule) =>
  readsIn(module).some(({ kind }) => kind === "tenant"),
);

export function tenantDataOf(modules: readonly DeclaredModule[]): TenantData {
  const parts = modules.map(entriesIn);
  return {
    data: new Map(parts.flatMap(({ data }) => data)),
    tenants: new Map(parts.flatMap(({ tenants }) => tenants)),
    policies: new Map(parts.flatMap(({ policies }) => policies)),
  };
}

const entriesIn = cachedByObject((module: DeclaredModule) => {
  const reads = readsIn(module).filter(isPlaced);
  return {
    data: reads.flatMap((read) => entryOf(read, separatedData(read))),
    tenants: reads.flatMap((read) => entryOf(read, read.kind === "tenant" ? read.text.value : undefined)),
    policies: reads.flatMap((read) => entryOf(read, read.kind === "policy" ? read : undefined)),
  };
});

/** Returns the variable of the Tenant called `name`, or of the first Tenant without a name. */
export function tenantVariable({ tenants }: TenantData, name?: string): string {
  const [key = ""] = [...tenants].find(([, each]) => name === undefined || each === name) ?? [];
  return variableIn(key);
}

export function variableIn(key: string): string {
  return key.slice(key.lastIndexOf("#") + 1);
}

type Placed = Exclude<Parsed, { kind: "misplaced" }>;

function isPlaced(read: Parsed): read is Placed {
  return read.kind !== "misplaced";
}

function entryOf<T>({ declaration }: Placed, value: T | undefined): readonly (readonly [string, T])[] {
  return value === undefined ? [] : [[declarationKey(declaration), value]];
}

function separatedData(read: Placed): SeparatedData | undefined {
  if (!isSeparable(read)) return undefined;
  const { kind, declaration } = read;
  const setting = tenantSettingOf(read);
  const isMarked = setting !== undefined;
  return { kind, variable: declaration.variable, tenants: tenantsOf(setting), isMarked, at: declaration.at };
}

/** Returns the state of the context that a declaration's handler receives; undefined if it receives none. */
export function stateOfHandler({ data, policies }: TenantData, { read }: DeclaredCall): ContextState | undefined {
  if (read === undefined || !isPlaced(read) || descriptionOf(read.kind).handler === undefined) return undefined;
  const origin = originText(read);
  if (isEndpoint(read)) return { ...stateOfEndpoint(policies, read), origin };
  if ("source" in read) return { ...stateOfConsumer(data, read), origin };
  const isForClients = forClients.has(read.kind) || descriptionOf(read.kind).shared === true;
  return { inside: undefined, isOperator: !isForClients, origin };
}

/**
 * Kinds without a route whose code runs for client requests. Code of shared kinds may also run for them; all other
 * kinds without a route are background work.
 */
const forClients: ReadonlySet<DeclarationKind> = new Set(["status", "errors", "authenticator", "policy"]);

function stateOfEndpoint(policies: TenantData["policies"], { config }: ParsedEndpoint): Omit<ContextState, "origin"> {
  const { allow, private: internal } = config.settings;
  const policy = allow?.value?.kind === "declared" ? policies.get(declarationKey(allow.value)) : undefined;
  const isOperator = policy?.required !== undefined || internal?.value === true;
  return { inside: policy?.member?.tenant.value?.name, isOperator };
}

function stateOfConsumer(data: TenantData["data"], { source }: ParsedConsumer): Omit<ContextState, "origin"> {
  const from = source.kind === "wrong" ? undefined : data.get(declarationKey(source));
  return { inside: from?.tenants, isOperator: from?.tenants === undefined };
}

function originText(read: Placed): string {
  if (isEndpoint(read) && read.text.value !== undefined) return read.text.value;
  return `${read.kind} ${read.declaration.variable}`;
}
