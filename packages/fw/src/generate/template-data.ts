import { nearest } from "../lib/suggest.ts";
import type { SiteDeclaration } from "../model/app.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Render, SiteRenders, AccessPaths } from "../model/render.ts";
import { dataProblems, type RenderReads } from "./template/data-problems.ts";
import { filesNamed } from "./template/name.ts";
import { parseTemplate } from "./template/parse.ts";
import type { TemplateSource } from "./template/problem.ts";
import { readsOf, type Read, type Template } from "./template/reads.ts";
import { accessPathsIn } from "./template/access-paths.ts";
import { isTemplate } from "./templates.ts";

/** Compares what the templates of one site read with what they are rendered with. Pure but for the reads that it keeps. */
export class TemplateData {
  #files: ReadonlyMap<string, TemplateSource> = new Map();
  /** By template; undefined where reads are too many to follow. */
  #reads: Map<string, readonly Read[] | undefined> = new Map();

  /** Takes the files of `templates/` as they are now. */
  load(files: readonly TemplateSource[]): void {
    const next = new Map(files.filter(({ name }) => isTemplate(name)).map((file) => [file.name, file]));
    const isSame = ({ name, source }: TemplateSource): boolean => this.#files.get(name)?.source === source;
    if (next.size !== this.#files.size || ![...next.values()].every(isSame)) this.#reads = new Map();
    this.#files = next;
  }

  /** What has to be known of the data of a call that renders one of some templates. */
  accessPaths(templates: readonly string[], whole: boolean): AccessPaths {
    return accessPathsIn(this.#readsOf(templates, whole) ?? []);
  }

  /** Templates that do not exist, and names that they read and never get. */
  check(site: SiteDeclaration, { renders, open }: SiteRenders): readonly Diagnostic[] {
    const place = `${site.dir === "" ? "" : `${site.dir}/`}templates/`;
    const missing = renders.flatMap((render) => this.#missing(render, place));
    if (open || this.#isPartlyUnread(renders)) return missing;
    const all = [...renders, ...this.#notFound(site)].map((render) => this.#withReads(render));
    return [...missing, ...dataProblems(all)];
  }

  /** What a page that cannot be followed gives to others is unknown, and so is what they lack. */
  #isPartlyUnread(renders: readonly Render[]): boolean {
    if ([...this.#files.keys()].some((name) => this.#template(name) === undefined)) return true;
    return renders.some(({ templates, whole }) => this.#readsOf(templates, whole) === undefined);
  }

  #missing(render: Render, place: string): readonly Diagnostic[] {
    const name = render.templates.find((template) => this.#nameOf(template) === undefined);
    if (name !== undefined) {
      const meant = nearest(name, this.#files.keys());
      const hint = meant === undefined ? `add ${place}${name}` : `did you mean ${meant}?`;
      return [{ code: "template", at: render.templateAt, message: `there is no template ${name} in ${place}`, hint }];
    }
    if (!render.whole || this.#files.has("layout.html")) return [];
    const message = `${place} has no layout.html, which site.render fills`;
    return [{ code: "template", at: render.at, message, hint: "add one, or use site.fragment" }];
  }

  /** The framework renders the designed 404, with no data. */
  #notFound({ notFound, declaration: { at } }: SiteDeclaration): readonly Render[] {
    if (notFound === undefined) return [];
    const data = { kind: "object", properties: new Map() } as const;
    const whole = this.#files.has("layout.html");
    return [{ templates: [notFound], whole, at, templateAt: at, dataAt: at, data }];
  }

  /** `undefined` and `null` are rendered as no data. */
  #withReads(render: Render): RenderReads {
    const reads = this.#readsOf(render.templates, render.whole) ?? [];
    const data = render.data.kind === "nothing" ? { kind: "object" as const, properties: new Map() } : render.data;
    return { render: { ...render, data }, reads };
  }

  #readsOf(templates: readonly string[], whole: boolean): readonly Read[] | undefined {
    const names = whole ? [...templates, "layout.html"] : templates;
    const all = names.map((name) => this.#readsOfOne(name));
    return all.every((reads) => reads !== undefined) ? all.flat() : undefined;
  }

  #readsOfOne(name: string): readonly Read[] | undefined {
    const template = this.#template(name);
    if (template === undefined) return [];
    const known = this.#reads.get(template.file.name);
    if (known !== undefined || this.#reads.has(template.file.name)) return known;
    const reads = readsOf(template, (partial) => this.#template(partial));
    this.#reads.set(template.file.name, reads);
    return reads;
  }

  #nameOf(name: string): string | undefined {
    return filesNamed(name).find((file) => this.#files.has(file));
  }

  #template(written: string): Template | undefined {
    const name = this.#nameOf(written);
    const file = name === undefined ? undefined : this.#files.get(name);
    const parsed = file && parseTemplate(file);
    return file && parsed && "program" in parsed ? { file, program: parsed.program } : undefined;
  }
}
