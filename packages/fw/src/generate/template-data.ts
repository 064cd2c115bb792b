import { nearest } from "../lib/suggest.ts";
import type { SiteDeclaration } from "../model/app.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { type Render, type SiteRenders, type AccessPaths, item, type Step } from "../model/render.ts";
import { dataProblems, type RenderReads } from "./template/data-problems.ts";
import { filesNamed } from "./template/name.ts";
import { parseTemplate } from "./template/parse.ts";
import type { TemplateSource } from "./template/problem.ts";
import { readsOf, type Read, type Template } from "./template/reads.ts";
import { isTemplate } from "./templates.ts";

const comments = /<!--[^]*?(?:-->|$)|\{\{~?!(?:--[^]*?--|[^}]*)~?\}\}/g;

/** Compares the names that a site's templates read with the data passed to them. Caches the reads of each template. */
export class TemplateData {
  #files: ReadonlyMap<string, TemplateSource> = new Map();
  /** The reads of each template; undefined if there are too many to follow. */
  #reads: Map<string, readonly Read[] | undefined> = new Map();

  load(files: readonly TemplateSource[]): void {
    const next = new Map(files.filter(({ name }) => isTemplate(name)).map((file) => [file.name, file]));
    const isSame = ({ name, source }: TemplateSource): boolean => this.#files.get(name)?.source === source;
    if (next.size !== this.#files.size || ![...next.values()].every(isSame)) this.#reads = new Map();
    this.#files = next;
  }

  /** Returns the data paths that `templates` read. Checking the templates needs their types. */
  accessPaths(templates: readonly string[], whole: boolean): AccessPaths {
    return accessPathsIn(this.#readsOf(templates, whole) ?? []);
  }

  /** Reports missing templates, mail templates without a title, and names that templates read but never receive. */
  check(site: SiteDeclaration, { renders, open }: SiteRenders): readonly Diagnostic[] {
    const place = `${site.dir === "" ? "" : `${site.dir}/`}templates/`;
    const missing = renders.flatMap((render) => [...this.#missing(render, place), ...this.#untitled(render, place)]);
    if (open || this.#isPartlyUnread(renders)) return missing;
    const all = [...renders, ...this.#notFound(site)].map((render) => this.#withReads(render));
    return [...missing, ...dataProblems(all)];
  }

  /** True if a template cannot be parsed or followed, which makes the data of others unknown. */
  #isPartlyUnread(renders: readonly Render[]): boolean {
    if ([...this.#files.keys()].some((name) => this.#template(name) === undefined)) return true;
    return renders.some(({ templates, whole }) => this.#readsOf(templates, whole) === undefined);
  }

  #missing(render: Render, place: string): readonly Diagnostic[] {
    const name = render.templates.find((template) => this.#nameOf(template) === undefined);
    if (name !== undefined) {
      const suggestion = nearest(name, this.#files.keys());
      const hint = suggestion === undefined ? `add ${place}${name}` : `did you mean ${suggestion}?`;
      return [{ code: "template", at: render.templateAt, message: `there is no template ${name} in ${place}`, hint }];
    }
    if (!render.whole || this.#files.has("layout.html")) return [];
    const message = `${place} has no layout.html, which site.render fills`;
    return [{ code: "template", at: render.at, message, hint: "add one, or use site.fragment" }];
  }

  /** Reports a mail template without a title, because the mail would fail when it is sent. */
  #untitled({ isMail, templates, whole, templateAt }: Render, place: string): readonly Diagnostic[] {
    if (!isMail || (whole && this.#hasTitle("layout.html", new Set()))) return [];
    const name = templates.find((each) => this.#nameOf(each) !== undefined && !this.#hasTitle(each, new Set()));
    if (name === undefined) return [];
    const message = `the template ${name} of a mail has no <title>, which is the subject`;
    const hint = `add <title>…</title> to the <head> in ${place}${this.#nameOf(name)}`;
    return [{ code: "template", at: templateAt, message, hint }];
  }

  /** True if a template, or one that it includes, has a title outside of comments. */
  #hasTitle(template: string, names: Set<string>): boolean {
    const name = this.#nameOf(template) ?? "";
    if (names.has(name)) return false;
    names.add(name);
    const source = (this.#files.get(name)?.source ?? "").replaceAll(comments, "");
    if (/<title\b[^>]*>\s*[^<\s]/i.test(source)) return true;
    const partials = Array.from(source.matchAll(/\{\{~?#?>\s*([^\s}]+)/g), ([, partial = ""]) => partial);
    return partials.some((partial) => this.#hasTitle(partial, names));
  }

  /** Returns the render of the custom 404 page, if there is one. The framework renders it without data. */
  #notFound({ notFound, declaration: { at } }: SiteDeclaration): readonly Render[] {
    if (notFound === undefined) return [];
    const data = { kind: "object", properties: new Map() } as const;
    const whole = this.#files.has("layout.html");
    return [{ templates: [notFound], whole, at, templateAt: at, dataAt: at, data }];
  }

  /** Returns a render with the reads of its templates. Treats `undefined` and `null` as no data, as rendering does. */
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
    const cached = this.#reads.get(template.file.name);
    if (cached !== undefined || this.#reads.has(template.file.name)) return cached;
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

interface MutablePaths {
  readonly properties: Map<string, MutablePaths>;
  items?: MutablePaths;
}

/** Returns the parts of a template's data whose types are needed to check its reads. */
function accessPathsIn(reads: readonly Read[]): AccessPaths {
  const root: MutablePaths = { properties: new Map() };
  for (const { from, own, isIterated: looped } of reads) {
    if (from !== undefined) grow(root, looped ? [...from, ...own, item] : [...from, ...own]);
  }
  return root;
}

function grow(root: MutablePaths, steps: readonly Step[]): void {
  let at = root;
  for (const step of steps) at = step === item ? (at.items ??= { properties: new Map() }) : property(at, step);
}

function property({ properties }: MutablePaths, name: string): MutablePaths {
  const child = properties.get(name) ?? { properties: new Map() };
  properties.set(name, child);
  return child;
}
