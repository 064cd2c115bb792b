import { join } from "node:path";
import { filesNamed } from "../generate/template/name.ts";
import type { TemplateSource } from "../generate/templates.ts";
import type { SiteDeclaration } from "../model/app.ts";
import { allOfKind, declarationKey } from "../model/declarations.ts";
import type { RequestContext } from "./request-context.ts";

/** A template of a site, with its absolute path. */
export interface TemplateFile {
  readonly name: string;
  readonly path: string;
}

/** Returns the sites of the application, even while the file that declares them has syntax errors. */
export function sitesOf({ lastParsed }: RequestContext): readonly SiteDeclaration[] {
  return allOfKind(lastParsed.packages, "site");
}

export function siteWithKey(context: RequestContext, key: string): SiteDeclaration | undefined {
  return sitesOf(context).find(({ declaration }) => declarationKey(declaration) === key);
}

export function siteAround(context: RequestContext): SiteDeclaration | undefined {
  return sitesOf(context).find((site) => templatesOf(context, site).some(({ path }) => path === context.path));
}

export function templatesOf({ workspace, root }: RequestContext, site: SiteDeclaration): readonly TemplateFile[] {
  const toFile = ({ name }: TemplateSource): TemplateFile => ({
    name,
    path: join(root, site.dir, "templates", name),
  });
  return workspace.templateFiles(site).map(toFile);
}

export function templateNamed(context: RequestContext, site: SiteDeclaration, name: string): TemplateFile | undefined {
  const files = new Map(templatesOf(context, site).map((file) => [file.name, file]));
  return filesNamed(name).flatMap((file) => files.get(file) ?? [])[0];
}
