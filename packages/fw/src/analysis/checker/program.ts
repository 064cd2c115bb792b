import type { Project, Snapshot } from "typescript/unstable/async";
import { CheckerFailure } from "./failure.ts";
import type { Session } from "./session.ts";

/** The program at one moment. A question sees the one it began with, whatever is saved meanwhile. */
export interface Opened {
  readonly snapshot: Snapshot;
  readonly project: Project;
  questions: number;
  replaced: boolean;
}

/** Opens the application, or again after changes. */
export async function openProject(
  session: Session,
  fileChanges?: { changed: string[]; created: string[]; deleted: string[] },
): Promise<void> {
  const snapshot = await session.api.updateSnapshot({
    openProjects: [session.config],
    ...(fileChanges ? { fileChanges } : {}),
  });
  const project = snapshot.getProject(session.config);
  if (!project) throw new CheckerFailure(`TypeScript does not open ${session.config}`);
  const before = session.opened as Opened | undefined;
  session.opened = { snapshot, project, questions: 0, replaced: false };
  if (!before) return;
  before.replaced = true;
  release(before);
}

/** Asks a question of the program that is open now. */
export async function whileOpened<T>(opened: Opened, work: (project: Project) => Promise<T>): Promise<T> {
  opened.questions += 1;
  try {
    return await work(opened.project);
  } finally {
    opened.questions -= 1;
    release(opened);
  }
}

/** Lets the server forget a program that nobody asks any more. */
function release({ snapshot, questions, replaced }: Opened): void {
  if (!replaced || questions > 0) return;
  // A server that has stopped has forgotten everything.
  snapshot.dispose().catch(() => undefined);
}
