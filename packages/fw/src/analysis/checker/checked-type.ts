import type { Checker, Type } from "typescript/unstable/async";

/** A type as data: `nodes[root]`, whose children are indexes into `nodes`. */
export interface CheckedType {
  readonly nodes: readonly CheckedNode[];
  readonly root: number;
}

export type CheckedNode =
  | { readonly kind: "intrinsic"; readonly name: string }
  | { readonly kind: "literal"; readonly value: string | number | boolean | bigint }
  | { readonly kind: "union"; readonly members: readonly number[] }
  | { readonly kind: "array"; readonly items: number }
  | { readonly kind: "tuple"; readonly items: readonly CheckedItem[] }
  /** A class or interface that comes with the platform: Date, Map, Promise. */
  | { readonly kind: "global"; readonly name: string }
  /** One of fw's own types, by name: a binding carries what it binds. */
  | {
      readonly kind: "marker";
      readonly name: string;
      readonly base: number;
      readonly argument?: string | number | null;
    }
  | {
      readonly kind: "object";
      readonly properties: readonly CheckedProperty[];
      readonly index?: { readonly key: number; readonly value: number };
      /** For an instance of a class of the application: where the class is declared. */
      readonly class?: { readonly name: string; readonly file: string };
    }
  /** A template literal type: its texts around its holes. */
  | { readonly kind: "template"; readonly texts: readonly string[]; readonly holes: readonly number[] }
  /** What `reply` makes of a body. */
  | { readonly kind: "reply"; readonly body: number; readonly status: number }
  /** What `Errorf` makes of a status and details. */
  | { readonly kind: "status-error"; readonly status: number; readonly details: number }
  /** What `events` makes of what each event carries. */
  | { readonly kind: "events"; readonly data: number }
  | { readonly kind: "function" }
  | { readonly kind: "class"; readonly name: string }
  /** TypeScript reports an error where it is written. */
  | { readonly kind: "mistake" }
  | { readonly kind: "other"; readonly text: string };

export interface CheckedItem {
  readonly type: number;
  readonly optional: boolean;
  readonly rest: boolean;
}

export interface CheckedProperty {
  readonly name: string;
  readonly type: number;
  readonly optional: boolean;
  readonly method: boolean;
  /** `hasRole` of fw's User, which stays behind when a User is sent. */
  readonly ofUser: boolean;
}

/** A walk as its steps see it. */
export interface Walk {
  readonly checker: Checker;
  /** What was read; a step may add nodes of its own. */
  readonly nodes: CheckedNode[];
  /** Where among the nodes a type is, read now if it was not before. */
  visit(type: Type): Promise<number>;
}
