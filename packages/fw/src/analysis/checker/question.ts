import type { Node, SourceFile } from "typescript/unstable/ast";
import type { Project, Type, TypeReference } from "typescript/unstable/async";

/** Identifies a type to ask for. Offsets are UTF-16 units into the file's text. */
export interface Question {
  readonly path: string;
  readonly start: number;
  /** If present, asks for the type of the node with this range; otherwise, for the type of the name at `start`. */
  readonly end?: number;
  /** Asks for one type argument of that type (`EndpointDeclaration<Req, Res>`). */
  readonly argument?: number;
}

/** NoTruncation and UseFullyQualifiedType. */
const textFlags = 1 | 64;

/** Prints types in the order of the questions; undefined for unknown types. */
export async function typeText(
  project: Project,
  questions: readonly Question[],
): Promise<readonly (string | undefined)[]> {
  const types = await typesAt(project, questions);
  return Promise.all(types.map(async (type) => type && project.checker.typeToString(type, undefined, textFlags)));
}

/**
 * Resolves the types of questions; undefined if the program does not contain the file. Names in one file share a round
 * trip, and so do nodes in one file.
 */
export async function typesAt(
  project: Project,
  questions: readonly Question[],
): Promise<readonly (Type | undefined)[]> {
  const types: (Type | undefined)[] = questions.map(() => undefined);
  const groups = new Map<string, number[]>();
  for (const [index, question] of questions.entries()) {
    const form = question.argument === undefined ? (question.end === undefined ? "name" : "node") : index;
    const key = `${form} ${question.path}`;
    const group = groups.get(key);
    if (group) group.push(index);
    else groups.set(key, [index]);
  }
  const answers = [...groups.values()].map(async (indexes) => {
    const answered = await typesOf(
      project,
      indexes.flatMap((index) => questions[index] ?? []),
    );
    for (const [at, index] of indexes.entries()) types[index] = answered[at];
  });
  await Promise.all(answers);
  return types;
}

/** Resolves one group: the names of a file, the nodes of a file, or a single type argument. */
async function typesOf(project: Project, group: readonly Question[]): Promise<readonly (Type | undefined)[]> {
  const [first] = group;
  if (first === undefined) return [];
  if (first.argument !== undefined) return [await typeAt(project, first)];
  if (first.end !== undefined) return typesOfSpans(project, first.path, group);
  return typesIn(
    project,
    first.path,
    group.map(({ start }) => start),
  );
}

async function typesIn(project: Project, path: string, starts: readonly number[]): Promise<(Type | undefined)[]> {
  return project.checker.getTypeAtPosition(path, starts).catch(() => starts.map(() => undefined));
}

/** Resolves one type; undefined if the program does not contain the file. */
export async function typeAt(project: Project, question: Question): Promise<Type | undefined> {
  const type =
    question.end === undefined
      ? (await typesIn(project, question.path, [question.start]))[0]
      : (await typesOfSpans(project, question.path, [question]))[0];
  if (!type || question.argument === undefined) return type;
  return (await project.checker.getTypeArguments(type as TypeReference))[question.argument];
}

async function typesOfSpans(
  project: Project,
  path: string,
  spans: readonly Question[],
): Promise<readonly (Type | undefined)[]> {
  const file = await project.program.getSourceFile(path);
  const nodes = spans.map(({ start, end = start }) => file && nodeSpanning(file, file, start, end));
  const types = await project.checker.getTypeAtLocation(nodes.filter((node) => node !== undefined));
  let next = 0;
  return nodes.map((node) => node && types[next++]);
}

function nodeSpanning(file: SourceFile, from: Node, start: number, end: number): Node | undefined {
  return from.forEachChild((child) => {
    if (child.pos > start || child.end < end) return undefined;
    if (child.end === end && child.getStart(file) === start) return child;
    return nodeSpanning(file, child, start, end);
  });
}
