import type { Checker, Type } from "typescript/unstable/async";

/** A type as plain data: a graph whose nodes refer to each other by index. */
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
  /** A type of the platform, such as `Date`, `Map` or `Promise`, or fw's `Blob`, `Json` or `Raw`. */
  | { readonly kind: "global"; readonly name: string }
  /** One of fw's markers, with the type that it marks. */
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
      /** The class, if the value is an instance of an application class. */
      readonly class?: { readonly name: string; readonly file: string };
    }
  /** A template literal type: fixed strings with a hole between each pair. */
  | { readonly kind: "template"; readonly texts: readonly string[]; readonly holes: readonly number[] }
  | { readonly kind: "reply"; readonly body: number; readonly status: number }
  /** The result of `Errorf`. */
  | { readonly kind: "status-error"; readonly status: number; readonly details: number }
  | { readonly kind: "events"; readonly data: number }
  | { readonly kind: "function" }
  | { readonly kind: "class"; readonly name: string }
  /** An object with a required key that is a symbol. */
  | { readonly kind: "symbol-keys" }
  /** A type that does not compile; TypeScript reports the error. */
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
  /** True for the `hasRole` method of fw's User, which responses leave out. */
  readonly ofUser: boolean;
}

/** The state shared by the steps that read a type node by node. */
export interface TypeWalk {
  readonly checker: Checker;
  /** The nodes read so far; a step may add its own. */
  readonly nodes: CheckedNode[];
  /** Returns the index of a type's node; reads the type on the first visit. */
  visit(type: Type): Promise<number>;
}
