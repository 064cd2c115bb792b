import type { Span } from "../../model/diagnostic.ts";

/** A time of the machine's clock that code stores, sends, answers or compares. */
export interface MachineTime {
  /** The expression as it is written. */
  readonly text: string;
  readonly at: Span;
  /** The effect of the time, such as "is stored by orders.create". */
  readonly use: string;
  /** The place of that effect. */
  readonly usedAt: Span;
  /** The expression to write instead. */
  readonly replacement: string;
  /** The name of the context, if it is in scope. */
  readonly context: string | undefined;
  /** The place of the handler's empty parameter list, if the fix adds `ctx` to it. */
  readonly parameters: Span | undefined;
}
