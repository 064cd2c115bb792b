import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { lightPassive, proseColumns, relativeOpener, vagueActor } from "./rules.ts";
import { readSourceProse } from "./source-prose.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The kinds of sentences and names that the style guide avoids. Each match is listed as `path:line text`. */
export const measures = ["relativeOpeners", "participleNames", "lightPassives", "vagueActors", "wideLines"] as const;
export type Measure = (typeof measures)[number];

export interface AreaProse {
  readonly places: Readonly<Record<Measure, readonly string[]>>;
  readonly comments: number;
  readonly names: number;
  /** The number of words in Markdown files, without code blocks. */
  readonly words: number;
}

const folders = [
  "packages/fw/src",
  "packages/fake-cloud/src",
  "packages/fw/templates",
  "test",
  "examples",
  "docs",
  "bench",
];
const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
const skipped = new Set(["node_modules", "dist", ".fw", "generated", "__snapshots__", "golden", ".cache"]);

/** Areas by name: a layer of `packages/fw/src`, or a folder of the repository. */
export function readAreas(): Map<string, AreaProse> {
  const areas = new Map<string, MutableArea>();
  const files = [
    ...folders.flatMap((folder) => filesBelow(join(root, folder))),
    ...pages.map((page) => join(root, page)),
  ];
  for (const file of files) {
    const path = relative(root, file).split(sep).join("/");
    const name = areaOf(path);
    let area = areas.get(name);
    if (!area) areas.set(name, (area = emptyArea()));
    if (path.endsWith(".md")) addPage(area, path, readFileSync(file, "utf8"));
    else addSource(area, path, readFileSync(file, "utf8"));
  }
  return areas;
}

function areaOf(path: string): string {
  const layer = /^packages\/fw\/src\/[^/]+(?=\/)/.exec(path);
  if (layer) return layer[0];
  const folder = folders.find((folder) => path.startsWith(`${folder}/`));
  return folder ?? "pages at the top";
}

interface MutableArea {
  places: Record<Measure, string[]>;
  comments: number;
  names: number;
  words: number;
}

function emptyArea(): MutableArea {
  return {
    places: { relativeOpeners: [], participleNames: [], lightPassives: [], vagueActors: [], wideLines: [] },
    comments: 0,
    names: 0,
    words: 0,
  };
}

function addSource(area: MutableArea, path: string, source: string): void {
  const { comments, names } = readSourceProse(path, source);
  area.comments += comments.length;
  area.names += names.length;
  for (const { text, line, columns } of comments) {
    const place = `${path}:${line} ${text.slice(0, 80).replaceAll("\n", " ")}`;
    if (relativeOpener.test(text)) area.places.relativeOpeners.push(place);
    if (columns > proseColumns) area.places.wideLines.push(place);
    addMatches(area, text, place);
  }
  for (const { name, line, isParticiple } of names)
    if (isParticiple) area.places.participleNames.push(`${path}:${line} ${name}`);
}

/** Adds the prose of a page. Ignores code blocks, and the width of table rows, which cannot be wrapped. */
function addPage(area: MutableArea, path: string, text: string): void {
  let isCode = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) {
      isCode = !isCode;
      continue;
    }
    if (isCode) continue;
    const place = `${path}:${index + 1} ${line.trim().slice(0, 80)}`;
    area.words += line.split(/\s+/).filter((word) => /\w/.test(word)).length;
    const isTable = line.trimStart().startsWith("|");
    if (!isTable && line.length > proseColumns && !/https?:\S{60}/.test(line)) area.places.wideLines.push(place);
    addMatches(area, line, place);
  }
}

function addMatches(area: MutableArea, text: string, place: string): void {
  for (const _match of text.matchAll(lightPassive)) area.places.lightPassives.push(place);
  for (const _match of text.matchAll(vagueActor)) area.places.vagueActors.push(place);
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return /\.(?:ts|mts|js|mjs|md)$/.test(entry.name) ? [path] : [];
  });
}
