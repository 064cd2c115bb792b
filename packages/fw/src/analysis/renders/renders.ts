import { declarationKey } from "../../model/declarations.ts";
import type { ESTree } from "rolldown/utils";
import type { DeclarationRef } from "../../model/app.ts";
import { unknownData, type DataType, type Render, type SiteRenders, type AccessPathsOf } from "../../model/render.ts";
import { CheckerFailure, type Checker } from "../checker/checker.ts";
import type { Declared } from "../declared.ts";
import { siteUses, type RenderCall } from "./render-calls.ts";
import { answered, questionsIn, writtenData } from "./written-data.ts";
import { questionOf } from "../schema/type-reading.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";

/** Where and with what the templates of an application's sites are rendered; types only as deep as they are wanted. */
export async function rendersOf(
  project: Project,
  checker: Checker,
  declared: readonly Declared[],
  accessPathsOf: AccessPathsOf,
  signal?: AbortSignal,
): Promise<readonly SiteRenders[]> {
  const sites = sitesIn(declared);
  const { calls, handedOn } = siteUses(project, new Map(Array.from(sites, ([node, { module }]) => [node, module])));
  const named = await withNames(
    checker,
    [...calls].flatMap(([node, own]) => own.map((call) => ({ node, call }))),
  );
  const nameOf = (node: ESTree.Node): string => siteName(sites.get(node));
  const renders: SiteRender[] = [];
  for (let start = 0; start < named.length; start += atOnce) {
    const some = named.slice(start, start + atOnce);
    renders.push(...(await withData(signal?.aborted ? undefined : checker, some, nameOf, accessPathsOf)));
  }
  return Array.from(sites, ([node, declaration]) => {
    const own = renders.filter((render) => render.node === node).map(({ render }) => render);
    const open = handedOn.has(node) || own.some(({ templates }) => templates.length === 0);
    return { site: siteName(declaration), renders: own, open };
  });
}

/** Calls asked about at once: whatever else is asked meanwhile waits for no more than these. */
const atOnce = 50;

interface SiteRender {
  readonly node: ESTree.Node;
  readonly render: Render;
}

/** The declarations of sites by their calls. */
export function sitesIn(declared: readonly Declared[]): ReadonlyMap<ESTree.Node, DeclarationRef> {
  const sites = declared.flatMap(({ call, read }): [ESTree.Node, DeclarationRef][] =>
    read?.kind === "site" ? [[call.call, read.declaration]] : [],
  );
  return new Map(sites);
}

function siteName(declaration: DeclarationRef | undefined): string {
  return declaration ? declarationKey(declaration) : "";
}

interface Called {
  readonly node: ESTree.Node;
  readonly call: RenderCall;
}

/** A name that is no constant may still be one of a few: its type says so. */
async function withNames(checker: Checker, called: readonly Called[]): Promise<readonly Called[]> {
  const asked = called.filter(({ call }) => call.templates === undefined && call.call.arguments[1] !== undefined);
  if (asked.length === 0) return called;
  const questions = asked.map(({ call }) => questionOf(call.module, call.call.arguments[1] ?? call.call));
  const texts = await orNothing(() => checker.texts(questions));
  const names = new Map(asked.map((call, index) => [call, literalsIn(texts?.[index])]));
  return called.map((call) => {
    const templates = names.get(call);
    return templates === undefined ? call : { ...call, call: { ...call.call, templates } };
  });
}

/** `"a.html" | "b.html"` as names. */
function literalsIn(type: string | undefined): readonly string[] | undefined {
  if (type === undefined || !/^"[^"\\]*"(?: \| "[^"\\]*")*$/.test(type)) return undefined;
  return type.split(" | ").map((quoted) => quoted.slice(1, -1));
}

async function withData(
  checker: Checker | undefined,
  called: readonly Called[],
  siteOf: (node: ESTree.Node) => string,
  accessPathsOf: AccessPathsOf,
): Promise<readonly SiteRender[]> {
  const asked = called.map(({ node, call }) => {
    const written = writtenData(call.module, call.call.arguments[2]);
    const spread = call.call.arguments.slice(0, 3).some((argument) => argument.type === "SpreadElement");
    const paths = accessPathsOf(siteOf(node), call.templates ?? [], call.method === "render");
    return { node, call, paths, written: spread ? ({ kind: "unknown" } as const) : written };
  });
  const questions = asked.flatMap(({ written, paths }) => questionsIn(written, paths));
  const answers = checker && questions.length > 0 ? await orNothing(() => checker.data(questions)) : undefined;
  let next = 0;
  const answer = (): DataType => answers?.[next++] ?? unknownData;
  return asked.map(({ node, call, written, paths }) => ({
    node,
    render: renderOf(call, answered(written, paths, answer)),
  }));
}

function renderOf({ module, call, at, method, templates }: RenderCall, data: DataType): Render {
  return {
    templates: templates ?? [],
    whole: method === "render",
    at: spanOf(module, at),
    templateAt: spanOf(module, call.arguments[1] ?? at),
    dataAt: spanOf(module, call.arguments[2] ?? call.arguments[1] ?? at),
    data,
  };
}

/** Where TypeScript cannot be asked, its absence is reported already and types are unknown. */
async function orNothing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CheckerFailure) return undefined;
    throw error;
  }
}
