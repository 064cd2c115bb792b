import { kindOf, type Kind, type Kinds, withNewer } from "../definitions.ts";
import type { PlatformErrorCode } from "../errors.ts";
import { withFirstKind } from "../first-kind.ts";

/** The definitions that this process uses: committed ones first, newest first, then prepared ones. */
export class DefinedKinds {
  #committed: ReadonlyMap<string, readonly Kind[]> = new Map();
  readonly #prepared = new Set<Kinds>();

  /** Checks that a kind is defined. Otherwise throws a PlatformError `document`. */
  check(name: string): void {
    if (this.#defined(name).length === 0) kindOf(new Map(), name);
  }

  first<T>(name: string, codes: readonly PlatformErrorCode[], work: (kind: Kind) => T, own?: Kinds): T {
    return withFirstKind(name, { own: own?.get(name), defined: this.#defined(name) }, codes, work);
  }

  /** Makes prepared definitions available to documents and queries, after the committed ones. */
  prepare(kinds: Kinds): void {
    this.#prepared.add(kinds);
  }

  forget(kinds: Kinds): void {
    this.#prepared.delete(kinds);
  }

  commit(kinds: Kinds): void {
    this.#committed = withNewer(this.#committed, kinds.values());
    this.#prepared.delete(kinds);
  }

  /** True if writes to this kind notify the listeners of `changes`. */
  notifies(name: string): boolean {
    return this.#defined(name).some(({ notifies }) => notifies === true);
  }

  all(): readonly Kind[] {
    const prepared = [...this.#prepared].flatMap((kinds) => [...kinds.values()]);
    return [...[...this.#committed.values()].flat(), ...prepared];
  }

  #defined(name: string): readonly Kind[] {
    const prepared = [...this.#prepared].flatMap((kinds) => kinds.get(name) ?? []);
    return [...(this.#committed.get(name) ?? []), ...prepared];
  }
}
