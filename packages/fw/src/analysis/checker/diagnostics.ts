import type { Diagnostic as TypeScriptDiagnostic, Program, Project } from "typescript/unstable/async";

/**
 * What TypeScript says of these files; without files, of all of the application, whose own files `isOwn` tells. With a
 * signal one file is asked about at a time.
 */
export async function askDiagnostics(
  { program }: Project,
  paths: readonly string[] | undefined,
  isOwn: (file: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<readonly TypeScriptDiagnostic[]> {
  // Asked for the whole program, TypeScript would check its own declarations and those of packages, too.
  const files = paths ?? (await program.getSourceFileNames()).filter(isOwn);
  const wholes = paths?.map((path) => program.getSyntacticDiagnostics(path)) ?? [
    program.getConfigFileParsingDiagnostics(),
    program.getProgramDiagnostics(),
    program.getSyntacticDiagnostics(),
  ];
  const found = (await Promise.all(wholes)).flat();
  const inside = await semantic(program, files, signal);
  return [...found, ...inside].filter(({ fileName }) => fileName === undefined || isOwn(fileName));
}

async function semantic(
  program: Program,
  files: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly TypeScriptDiagnostic[]> {
  if (!signal) return (await Promise.all(files.map((file) => program.getSemanticDiagnostics(file)))).flat();
  const found: TypeScriptDiagnostic[] = [];
  for (const file of files) {
    signal.throwIfAborted();
    found.push(...(await program.getSemanticDiagnostics(file)));
  }
  return found;
}
