import { nameOf, type Api, type Call, type Need } from "./api.ts";
import type { Cloud } from "./cloud.ts";
import type { Refusal } from "./errors.ts";
import { changeIn, wantedIn } from "./fields.ts";
import { policyMethods } from "./iam/methods.ts";
import { methodsOf, type ResourceKind, type Verb } from "./methods.ts";
import type { Operations } from "./operations.ts";
import { inPages } from "./pages.ts";

/** A kind of resource that an API stores by name. */
export interface KeptKind<Kept> extends ResourceKind {
  /** The name of the list in responses. */
  readonly items: string;
  /** The resource that create and list permissions apply to; by default the call's. */
  readonly in?: ResourceKind["on"];
  /** Returns the key of a call's resource; by default the name in the path. */
  readonly name?: (call: Call) => string;
  /** Returns the name of a new resource, if it is not in the path. Refuses invalid names. */
  readonly newName?: (call: Call) => string;
  readonly missing: (name: string) => Refusal;
  readonly exists?: (name: string) => Refusal;
  /** The field of an update's body that contains the resource, unless the body is the resource. */
  readonly wrapped?: string;
  /** Additional permissions for a creation or change. */
  readonly needs?: (wanted: object, verb: "create" | "patch") => readonly Need[];
  readonly make?: (call: Call, name: string) => Kept;
  /** False for a name whose creation seems to succeed but stores nothing, such as a recently deleted one. */
  readonly isThere?: (name: string) => boolean;
  /** Merges an update; by default the fields of the update mask replace the stored ones. */
  readonly change?: (before: Kept, change: object, call: Call) => Kept;
  /** Deletes dependent data and returns the response if it is not `{}`. May refuse. */
  readonly remove?: (kept: Kept, name: string) => unknown;
  readonly json?: (kept: Kept) => unknown;
  /** The cloud that stores their policies, if they have any. */
  readonly policies?: Cloud;
  /** The duration in milliseconds of each change that is a long-running operation, and the parent of its operations. */
  readonly takes?: { readonly operations: Operations; readonly place: (name: string) => string } & {
    readonly [Change in "create" | "patch" | "delete"]?: number;
  };
}

/** Resources of a kind by name. */
export class Resources<Kept> extends Map<string, Kept> {
  readonly #kind: KeptKind<Kept>;
  /** The names that running operations are creating. */
  readonly #making = new Set<string>();

  constructor(kind: KeptKind<Kept>) {
    super();
    this.#kind = kind;
  }

  /** Returns the resource of a call. */
  of(call: Call): Kept {
    return this.byName(this.#name(call));
  }

  byName(name: string): Kept {
    const kept = this.get(name);
    if (kept === undefined) throw this.#kind.missing(name);
    return kept;
  }

  /** Returns the standard methods and `others`, which override them. */
  methods(others: Readonly<Record<string, Verb>> = {}): Api["methods"] {
    const { in: on = this.#kind.on, needs, wrapped, policies } = this.#kind;
    const permissionFor = (verb: "create" | "patch") => ({
      needs: (call: Call) => needs?.(wantedIn(call, wrapped), verb) ?? [],
    });
    const name = this.#kind.newName ?? this.#kind.name ?? nameOf;
    const create = { on, ...permissionFor("create"), run: (call: Call) => this.create(call, name(call)) };
    const own = methodsOf(this.#kind, {
      create,
      insert: create,
      get: (call) => this.#json(this.of(call)),
      list: {
        on,
        run: (call) => inPages(call, { [this.#kind.items]: [...this.values()].map((one) => this.#json(one)) }),
      },
      patch: { ...permissionFor("patch"), run: (call) => this.patch(call) },
      delete: (call) => this.remove(call),
      ...others,
    });
    return policies ? { ...own, ...policyMethods(policies, this.#kind) } : own;
  }

  protected create(call: Call, name: string): unknown {
    const { make, exists, isThere } = this.#kind;
    if (exists && (this.has(name) || this.#making.has(name))) throw exists(name);
    const created = make?.(call, name) as Kept;
    this.#making.add(name);
    return this.#changed("create", name, () => {
      this.#making.delete(name);
      if (isThere?.(name) !== false) this.set(name, created);
      return this.#json(created);
    });
  }

  protected patch(call: Call): unknown {
    const { wrapped, change = (before, changes) => ({ ...before, ...changes }) } = this.#kind;
    const changed = change(this.of(call), changeIn(call, wrapped), call);
    return this.#changed("patch", this.#name(call), () => {
      this.set(this.#name(call), changed);
      return this.#json(changed);
    });
  }

  protected remove(call: Call): unknown {
    const name = this.#name(call);
    const answer = this.#kind.remove?.(this.byName(name), name) ?? {};
    return this.#changed("delete", name, () => {
      this.delete(name);
      return answer;
    });
  }

  #changed(change: "create" | "patch" | "delete", name: string, effect: () => unknown): unknown {
    const { takes } = this.#kind;
    const milliseconds = takes?.[change];
    return milliseconds === undefined || !takes
      ? effect()
      : takes.operations.after(takes.place(name), milliseconds, effect);
  }

  #name(call: Call): string {
    return (this.#kind.name ?? nameOf)(call);
  }

  #json(kept: Kept): unknown {
    return this.#kind.json?.(kept) ?? kept;
  }
}
