import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { filesBelow } from "../../lib/read-file.ts";
import { relativePath } from "../../lib/relative-path.ts";

const usualMainBranches = ["main", "master", "trunk", "develop"];

/** The git repository of a directory. Reads git's files, because running git for every save would be too slow. */
export class GitRepository {
  /** The directory that contains HEAD: `.git`, or git's directory for a linked worktree. */
  readonly directory: string;
  /** The git directory of the main worktree, which contains the branches. */
  readonly #common: string;

  private constructor(directory: string) {
    this.directory = directory;
    this.#common = resolve(directory, firstLine(join(directory, "commondir")) ?? ".");
  }

  /** Finds the repository that contains a directory; undefined if there is none. */
  static of(root: string): GitRepository | undefined {
    for (let at = root; ; at = dirname(at)) {
      const place = join(at, ".git");
      const stats = statSync(place, { throwIfNoEntry: false });
      if (stats?.isDirectory() && existsSync(join(place, "HEAD"))) return new GitRepository(place);
      const [, worktree] = (stats?.isFile() && /^gitdir: (.+)$/.exec(firstLine(place) ?? "")) || [];
      if (worktree !== undefined) return new GitRepository(resolve(at, worktree));
      if (at === dirname(at)) return undefined;
    }
  }

  /**
   * The checked-out branch; during a rebase, the branch being rebased. Undefined if HEAD is detached or names no
   * branch.
   */
  get branch(): string | undefined {
    const rebaseRefs = ["rebase-merge", "rebase-apply"].map((name) =>
      firstLine(join(this.directory, name, "head-name")),
    );
    const ref = rebaseRefs.find((name) => name !== undefined) ?? /^ref: (.+)$/.exec(this.#head ?? "")?.[1];
    const branch = branchOfRef(ref);
    // Repositories in the reftable format have this placeholder in HEAD.
    return branch === ".invalid" ? undefined : branch;
  }

  get detachedAt(): string | undefined {
    return this.branch === undefined && /^[0-9a-f]{40,64}$/.test(this.#head ?? "") ? this.#head : undefined;
  }

  /** The remote's main branch, or else a branch with a usual name; undefined if there is none. */
  get mainBranch(): string | undefined {
    const remote = /^ref: refs\/remotes\/origin\/(.+)$/.exec(
      firstLine(join(this.#common, "refs/remotes/origin/HEAD")) ?? "",
    );
    return remote?.[1] ?? usualMainBranches.find((name) => this.hasBranch(name));
  }

  hasBranch(name: string): boolean {
    return existsSync(join(this.#common, "refs/heads", name)) || this.#packedBranches.includes(name);
  }

  /** The names of all branches, sorted. */
  get branches(): readonly string[] {
    const heads = join(this.#common, "refs/heads");
    const loose = filesBelow(heads).map((path) => relativePath(heads, path));
    return [...new Set([...loose, ...this.#packedBranches])].toSorted();
  }

  get #packedBranches(): readonly string[] {
    return lines(join(this.#common, "packed-refs")).flatMap((line) => / refs\/heads\/(.+)$/.exec(line)?.[1] ?? []);
  }

  /** Returns the branch that `branch` was created or renamed from, according to its reflog; undefined if unknown. */
  originOf(branch: string): string | undefined {
    const log = lines(join(this.#common, "logs/refs/heads", branch));
    const oldRef = log
      .map((line) => /\tBranch: renamed (\S+) to /.exec(line)?.[1])
      .findLast((ref) => ref !== undefined);
    if (oldRef !== undefined) return branchOfRef(oldRef);
    const [first = ""] = log;
    const [, start] = /\tbranch: Created from (.+)$/.exec(first) ?? [];
    if (start === "HEAD") return this.#lastMove((to, at) => to === branch && at >= timeOf(first), "first");
    return start === undefined ? undefined : branchOfRef(start);
  }

  /** The last branch that was checked out before HEAD was detached; undefined if unknown. */
  get detachedFrom(): string | undefined {
    return this.#lastMove(() => true, "last");
  }

  get #head(): string | undefined {
    return firstLine(join(this.directory, "HEAD"));
  }

  /**
   * Returns the branch that HEAD left in its first or last matching checkout, ignoring checkouts from a commit;
   * undefined if there is none.
   */
  #lastMove(matches: (to: string, at: number) => boolean, which: "first" | "last"): string | undefined {
    const moves = lines(join(this.directory, "logs/HEAD")).flatMap((line) => {
      const [, from = "", to = ""] = /\tcheckout: moving from (\S+) to (\S+)$/.exec(line) ?? [];
      return from !== "" && !/^[0-9a-f]{40,64}$/.test(from) && matches(to, timeOf(line)) ? [from] : [];
    });
    return which === "first" ? moves[0] : moves.at(-1);
  }
}

/** Returns the name of the branch in a ref such as `refs/heads/a/b`, `origin/a/b` or `a/b`. */
function branchOfRef(ref: string | undefined): string | undefined {
  return ref?.replace(/^refs\/heads\//, "").replace(/^(?:refs\/remotes\/)?origin\//, "");
}

/** Returns the Unix timestamp of a reflog line, in seconds. */
function timeOf(line: string): number {
  return Number(/> (\d+) [+-]\d{4}\t/.exec(line)?.[1] ?? 0);
}

function firstLine(path: string): string | undefined {
  return lines(path)[0];
}

/** Returns the nonempty lines of one of git's files; none if it cannot be read. */
function lines(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}
