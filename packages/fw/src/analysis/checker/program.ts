import type { Project, Snapshot } from "typescript/unstable/async";
import { CheckerFailure } from "../../lib/checker-failure.ts";
import type { ServerSession } from "./session.ts";

/** A snapshot of a program. A query sees the snapshot it started with, even if files are saved later. */
export interface OpenProgram {
  readonly snapshot: Snapshot;
  readonly config: string;
  readonly project: Project;
  questions: number;
  replaced: boolean;
}

/** Changes on disk, by absolute path. */
export interface ServerChanges {
  readonly changed: string[];
  readonly created: string[];
  readonly deleted: string[];
}

/** Opens the application or, if it is open, rereads the files in `changes`, by default all. */
export async function openProject(session: ServerSession, changes?: ServerChanges): Promise<void> {
  const { config } = session;
  const before = session.program as OpenProgram | undefined;
  const fileChanges = changes ?? (before && { invalidateAll: true as const });
  const snapshot = await session.api.updateSnapshot({
    openProjects: [config],
    ...(fileChanges ? { fileChanges } : {}),
    // Closes the previous application only now, so that a kept server reuses what both have in common.
    ...(before && before.config !== config ? { closeProjects: [before.config] } : {}),
  });
  const project = snapshot.getProject(config);
  if (!project) throw new CheckerFailure(`TypeScript cannot open ${config}`);
  session.program = { snapshot, config, project, questions: 0, replaced: false };
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

/** Lets the server discard a replaced program once no query uses it. */
function release({ snapshot, questions, replaced }: OpenProgram): void {
  if (!replaced || questions > 0) return;
  // This fails if the server has stopped, which discards everything anyway.
  snapshot.dispose().catch(() => undefined);
}
