import type { Checker, Type } from "typescript/unstable/async";

/** A type as data: a graph of nodes that refer to each other by index. */
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
  /** A class or interface of the platform: Date, Map, Promise. */
  | { readonly kind: "global"; readonly name: string }
  /** A type of fw by name, with the type it marks. */
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
      /** The class that declares it, for an instance of a class of the application. */
      readonly class?: { readonly name: string; readonly file: string };
    }
  /** A template literal type: its texts with holes between them. */
  | { readonly kind: "template"; readonly texts: readonly string[]; readonly holes: readonly number[] }
  /** The result of `reply`. */
  | { readonly kind: "reply"; readonly body: number; readonly status: number }
  /** The result of `Errorf`. */
  | { readonly kind: "status-error"; readonly status: number; readonly details: number }
  /** The result of `events`, with the data of each event. */
  | { readonly kind: "events"; readonly data: number }
  | { readonly kind: "function" }
  | { readonly kind: "class"; readonly name: string }
  /** An object with a required key that is a symbol. */
  | { readonly kind: "symbol-keys" }
  /** A type with an error that TypeScript reports. */
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
  /** True for `hasRole` of fw's User, which is dropped when a User is sent. */
  readonly ofUser: boolean;
}

/** The state of reading a type node by node. */
export interface TypeWalk {
  readonly checker: Checker;
  /** The nodes read so far; a step may add its own. */
  readonly nodes: CheckedNode[];
  /** Returns the index of a type's node, reading the type on its first visit. */
  visit(type: Type): Promise<number>;
}
