import { join } from "node:path";
import { filesNamed } from "../generate/template/name.ts";
import type { TemplateSource } from "../generate/templates.ts";
import type { SiteDeclaration } from "../model/app.ts";
import { allOfKind, declarationKey } from "../model/declarations.ts";
import type { Asked } from "./asked.ts";

/** A template of a site, with its file's absolute path. */
export interface TemplateFile {
  readonly name: string;
  readonly path: string;
}

/** The sites of the application, also while the file is typed that declares one. */
export function sitesOf({ whole }: Asked): readonly SiteDeclaration[] {
  return allOfKind(whole.packages, "site");
}

export function siteWithKey(asked: Asked, key: string): SiteDeclaration | undefined {
  return sitesOf(asked).find(({ declaration }) => declarationKey(declaration) === key);
}

/** The site of which the file that is asked about is a template. */
export function siteAround(asked: Asked): SiteDeclaration | undefined {
  return sitesOf(asked).find((site) => templatesOf(asked, site).some(({ path }) => path === asked.path));
}

export function templatesOf({ workspace, root }: Asked, site: SiteDeclaration): readonly TemplateFile[] {
  const placed = ({ name }: TemplateSource): TemplateFile => ({
    name,
    path: join(root, site.dir, "templates", name),
  });
  return workspace.templateFiles(site).map(placed);
}

/** The file that a name of a template means. */
export function templateNamed(asked: Asked, site: SiteDeclaration, name: string): TemplateFile | undefined {
  const files = new Map(templatesOf(asked, site).map((file) => [file.name, file]));
  return filesNamed(name).flatMap((file) => files.get(file) ?? [])[0];
}
