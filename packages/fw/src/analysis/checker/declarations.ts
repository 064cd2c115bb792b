import { TypeFlags, type Project, type Type } from "typescript/unstable/async";
import { typesAt, type Question } from "./question.ts";

/**
 * Returns the names of fw's declaration types (`EndpointDeclaration`) for values, including union members; `any` for
 * values of type `any`. `isOwn` recognizes the application's files, which declare no such types.
 */
export async function declarationNames(
  project: Project,
  questions: readonly Question[],
  isOwn: (file: string) => boolean,
): Promise<readonly (string | undefined)[]> {
  const types = await typesAt(project, questions);
  return Promise.all(types.map(async (type) => type && declarationName(type, isOwn)));
}

async function declarationName(type: Type, isOwn: (file: string) => boolean): Promise<string | undefined> {
  if (type.isErrorType()) return undefined;
  if (type.flags & TypeFlags.Any) return "any";
  if (type.isUnionType() || type.isIntersectionType()) {
    const names = await Promise.all((await type.getTypes()).map((each) => declarationName(each, isOwn)));
    return names.find((name) => name !== undefined);
  }
  if (!type.isObjectType()) return undefined;
  const symbol = await type.getSymbol();
  return symbol?.name.endsWith("Declaration") === true &&
    symbol.declarations.some(({ path }) => /\/declare\/[\w-]+\.(d\.)?ts$/.test(path) && !isOwn(path))
    ? symbol.name
    : undefined;
}
