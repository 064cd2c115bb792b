import { declarationKey } from "../../model/declarations.ts";
import type { ESTree } from "rolldown/utils";
import type { DeclarationRef } from "../../model/app.ts";
import { unknownData, type DataType, type Render, type SiteRenders, type AccessPathsOf } from "../../model/render.ts";
import { CheckerFailure } from "../../lib/checker-failure.ts";
import type { Checker } from "../checker/checker.ts";
import type { DeclaredCall } from "../declared.ts";
import { siteUses, type RenderCall } from "./render-calls.ts";
import { withAnswers, questionsIn, readSourceData } from "./source-data.ts";
import { questionOf } from "../schema/type-reading.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";

/** Collects the renders of each site, with the types of their data only as deep as the templates read it. */
export async function rendersOf(
  project: Project,
  checker: Checker,
  declared: readonly DeclaredCall[],
  accessPathsOf: AccessPathsOf,
  signal?: AbortSignal,
): Promise<readonly SiteRenders[]> {
  const sites = sitesIn(declared);
  const { calls, passedOn } = siteUses(project, new Map(Array.from(sites, ([node, { module }]) => [node, module])));
  const callsWithNames = await withNames(
    checker,
    [...calls].flatMap(([node, own]) => own.map((call) => ({ node, call }))),
  );
  const nameOf = (node: ESTree.Node): string => siteName(sites.get(node));
  const renders: SiteRender[] = [];
  for (let start = 0; start < callsWithNames.length; start += batchSize) {
    const some = callsWithNames.slice(start, start + batchSize);
    renders.push(...(await withData(signal?.aborted ? undefined : checker, some, nameOf, accessPathsOf)));
  }
  const isMail = mailCode(declared);
  return Array.from(sites, ([node, declaration]) => {
    const own = renders
      .filter((render) => render.node === node)
      .map(({ call, render }) => (isMail(call) ? { ...render, isMail: true as const } : render));
    const open = passedOn.has(node) || own.some(({ templates }) => templates.length === 0);
    return { site: siteName(declaration), renders: own, open };
  });
}

/** Calls per query to the checker, so that other queries wait for at most one batch. */
const batchSize = 50;

/** Returns a predicate for calls in the code of a Mail. */
function mailCode(declared: readonly DeclaredCall[]): (call: RenderCall) => boolean {
  const mails = declared.flatMap(({ call, read }) => (read?.kind === "mail" ? [call] : []));
  return ({ module, call }) =>
    mails.some((mail) => mail.module === module && mail.call.start <= call.start && call.end <= mail.call.end);
}

interface SiteRender {
  readonly node: ESTree.Node;
  readonly call: RenderCall;
  readonly render: Render;
}

export function sitesIn(declared: readonly DeclaredCall[]): ReadonlyMap<ESTree.Node, DeclarationRef> {
  const sites = declared.flatMap(({ call, read }): [ESTree.Node, DeclarationRef][] =>
    read?.kind === "site" ? [[call.call, read.declaration]] : [],
  );
  return new Map(sites);
}

function siteName(declaration: DeclarationRef | undefined): string {
  return declaration ? declarationKey(declaration) : "";
}

interface SiteCall {
  readonly node: ESTree.Node;
  readonly call: RenderCall;
}

/** Adds the template names of calls whose argument is not constant, if its type is a union of literals. */
async function withNames(checker: Checker, calls: readonly SiteCall[]): Promise<readonly SiteCall[]> {
  const unknownCalls = calls.filter(({ call }) => call.templates === undefined && call.call.arguments[1] !== undefined);
  if (unknownCalls.length === 0) return calls;
  const questions = unknownCalls.map(({ call }) => questionOf(call.module, call.call.arguments[1] ?? call.call));
  const typeTexts = await orNothing(() => checker.texts(questions));
  const names = new Map(unknownCalls.map((call, index) => [call, literalsIn(typeTexts?.[index])]));
  return calls.map((call) => {
    const templates = names.get(call);
    return templates === undefined ? call : { ...call, call: { ...call.call, templates } };
  });
}

/** Parses the type `"a.html" | "b.html"`; undefined for any other type. */
function literalsIn(type: string | undefined): readonly string[] | undefined {
  if (type === undefined || !/^"[^"\\]*"(?: \| "[^"\\]*")*$/.test(type)) return undefined;
  return type.split(" | ").map((quoted) => quoted.slice(1, -1));
}

async function withData(
  checker: Checker | undefined,
  calls: readonly SiteCall[],
  siteOf: (node: ESTree.Node) => string,
  accessPathsOf: AccessPathsOf,
): Promise<readonly SiteRender[]> {
  const requests = calls.map(({ node, call }) => {
    const data = readSourceData(call.module, call.call.arguments[2]);
    const spread = call.call.arguments.slice(0, 3).some((argument) => argument.type === "SpreadElement");
    const paths = accessPathsOf(siteOf(node), call.templates ?? [], call.method === "render");
    return { node, call, paths, written: spread ? ({ kind: "unknown" } as const) : data };
  });
  const questions = requests.flatMap(({ written, paths }) => questionsIn(written, paths));
  const answers = checker && questions.length > 0 ? await orNothing(() => checker.data(questions)) : undefined;
  let next = 0;
  const answer = (): DataType => answers?.[next++] ?? unknownData;
  return requests.map(({ node, call, written, paths }) => ({
    node,
    call,
    render: renderOf(call, withAnswers(written, paths, answer)),
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

/** Waits for the checker's answer. Returns undefined if TypeScript fails, which is reported elsewhere. */
async function orNothing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CheckerFailure) return undefined;
    throw error;
  }
}
