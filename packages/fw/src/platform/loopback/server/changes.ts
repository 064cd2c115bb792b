import { list, text } from "../../../lib/codec.ts";
import { changesOf, type ChangeListener } from "../../changes.ts";
import { serving, type ServedOperation } from "./operation.ts";

/** An endless result with a line for each notification. */
export class ChangeStream {
  readonly watch: (listener: ChangeListener, signal: AbortSignal) => void;

  constructor(watch: ChangeStream["watch"]) {
    this.watch = watch;
  }
}

/** The operation that reports changes. A service may watch the kinds that it may read. */
export const changes: Readonly<Record<string, ServedOperation>> = {
  "changes/watch": serving({
    args: [list(text)],
    accesses: (kinds) =>
      kinds.map((name) => ({ kind: "entity", name, asks: "watch", by: ["find", "get", "getMany", "query"] })),
    run: async ([kinds], { platform }) =>
      new ChangeStream((listener, signal) => changesOf(platform).watch(kinds, listener, signal)),
  }),
};
