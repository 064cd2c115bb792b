import type { Diagnostic as TypeScriptDiagnostic, Program, Project } from "typescript/unstable/async";

/**
 * Asks TypeScript for the errors in the files at `paths`, or in the whole application and its configuration. Drops
 * errors in files that `isOwn` does not recognize as the application's.
 */
export async function askDiagnostics(
  { program }: Project,
  paths: readonly string[] | undefined,
  isOwn: (file: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<readonly TypeScriptDiagnostic[]> {
  // A check of the whole program would also cover the declarations of TypeScript and of packages.
  const files = paths ?? (await program.getSourceFileNames()).filter(isOwn);
  const wholes = paths?.map((path) => program.getSyntacticDiagnostics(path)) ?? [
    program.getConfigFileParsingDiagnostics(),
    program.getProgramDiagnostics(),
    program.getSyntacticDiagnostics(),
  ];
  const [general, inside] = await Promise.all([Promise.all(wholes), semanticErrors(program, files, signal)]);
  return [...general.flat(), ...inside].filter(({ fileName }) => fileName === undefined || isOwn(fileName));
}

async function semanticErrors(
  program: Program,
  files: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly TypeScriptDiagnostic[]> {
  if (!signal) return (await Promise.all(files.map((file) => program.getSemanticDiagnostics(file)))).flat();
  const errors: TypeScriptDiagnostic[] = [];
  for (const file of files) {
    signal.throwIfAborted();
    errors.push(...(await program.getSemanticDiagnostics(file)));
  }
  return errors;
}
