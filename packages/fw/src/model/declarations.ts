import type {
  App,
  Declaration,
  DeclarationKey,
  Endpoint,
  Package,
  ServiceDeclaration,
  SiteDeclaration,
} from "./app.ts";
import type { Consumer, Destination } from "./background.ts";
import { descriptionOf, kindsWith } from "./kinds.ts";

/** The type of the declarations of a kind. Some kinds share a type. */
export type OfKind<
  Kind extends Declaration["kind"],
  All extends { readonly kind: string } = Declaration,
> = All extends All ? (Extract<All["kind"], Kind> extends never ? never : All) : never;

type Declaring = Pick<Package, "declarations">;

/** Returns a package's declarations of some kinds, in source order. */
export function ofKind<Kind extends Declaration["kind"]>(
  { declarations }: Declaring,
  ...kinds: readonly Kind[]
): readonly OfKind<Kind>[] {
  const wanted: ReadonlySet<Declaration["kind"]> = new Set(kinds);
  return declarations.filter((declared): declared is OfKind<Kind> & Declaration => wanted.has(declared.kind));
}

/** Returns an application's declarations of some kinds, in the order of its packages. */
export function allOfKind<Kind extends Declaration["kind"]>(
  packages: readonly Declaring[],
  ...kinds: readonly Kind[]
): readonly OfKind<Kind>[] {
  return packages.flatMap((pkg) => ofKind(pkg, ...kinds));
}

const endpoints = kindsWith("family", "endpoint");
const destinations = kindsWith("family", "destination");
const consumers = kindsWith("family", "consumer");

export function endpointsOf(pkg: Declaring): readonly Endpoint[] {
  return ofKind(pkg, ...endpoints);
}

export function destinationsOf(pkg: Declaring): readonly Destination[] {
  return ofKind(pkg, ...destinations);
}

export function consumersOf(pkg: Declaring): readonly Consumer[] {
  return ofKind(pkg, ...consumers);
}

export function siteOf(pkg: Declaring): SiteDeclaration | undefined {
  return ofKind(pkg, "site")[0];
}

export function settingsOf(pkg: Declaring): ServiceDeclaration | undefined {
  return ofKind(pkg, "service")[0];
}

/** Returns a key that is unique to the constant that holds a declaration. */
export function declarationKey({ module, variable }: DeclarationKey): string {
  return `${module}#${variable}`;
}

/** True if an application stores data, sends messages or runs background work. */
export function keepsData({ packages }: Pick<App, "packages">): boolean {
  return packages.some((pkg) => pkg.declarations.some(isStored) || hasOncePages(pkg));
}

function isStored({ kind }: Declaration): boolean {
  return descriptionOf(kind).keepsData === true;
}

/** True for a package with pages that run once per form submission, which fw records. */
export function hasOncePages(pkg: Declaring): boolean {
  return ofKind(pkg, "page").some(({ settings }) => settings.once === true);
}

export function hasLivePages(pkg: Declaring): boolean {
  return ofKind(pkg, "page").some(({ settings }) => settings.live === true);
}

/** Returns the jobs whose runs are recorded. */
export function recordedJobs(packages: readonly Declaring[]): readonly OfKind<"job">[] {
  return allOfKind(packages, "job").filter(({ history }) => history !== undefined);
}

/** True if the application can identify users, by sign-in or by an authenticator. */
export function knowsVisitors({ packages }: Pick<App, "packages">): boolean {
  return allOfKind(packages, "auth", "authenticator").length > 0;
}

/** True if users can sign in. */
export function hasSignIn({ packages }: Pick<App, "packages">): boolean {
  return allOfKind(packages, "auth").length > 0;
}

/** True if users manage their own accounts on pages of the framework. */
export function hasAccountPages({ packages }: Pick<App, "packages">): boolean {
  return allOfKind(packages, "auth").some(({ account }) => account);
}
