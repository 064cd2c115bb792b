import type { Project, Snapshot } from "typescript/unstable/async";
import { CheckerFailure } from "../../lib/checker-failure.ts";
import type { ServerSession } from "./session.ts";

/** A program at one moment. A query sees the program it started with, whatever is saved later. */
export interface OpenProgram {
  readonly snapshot: Snapshot;
  readonly project: Project;
  questions: number;
  replaced: boolean;
}

/** Opens the application, or reopens it after changes. */
export async function openProject(
  session: ServerSession,
  fileChanges?: { changed: string[]; created: string[]; deleted: string[] },
): Promise<void> {
  const snapshot = await session.api.updateSnapshot({
    openProjects: [session.config],
    ...(fileChanges ? { fileChanges } : {}),
  });
  const project = snapshot.getProject(session.config);
  if (!project) throw new CheckerFailure(`TypeScript cannot open ${session.config}`);
  const before = session.program as OpenProgram | undefined;
  session.program = { snapshot, project, questions: 0, replaced: false };
  if (!before) return;
  before.replaced = true;
  release(before);
}

/** Runs a query on the current program. */
export async function withProgram<T>(program: OpenProgram, work: (project: Project) => Promise<T>): Promise<T> {
  program.questions += 1;
  try {
    return await work(program.project);
  } finally {
    program.questions -= 1;
    release(program);
  }
}

/** Lets the server discard a program that no question uses any more. */
function release({ snapshot, questions, replaced }: OpenProgram): void {
  if (!replaced || questions > 0) return;
  // This fails if the server has stopped, which discards everything anyway.
  snapshot.dispose().catch(() => undefined);
}
