import type { Span } from "../../model/diagnostic.ts";

/** A clock read whose result is stored, sent, returned or compared. */
export interface MachineTime {
  readonly text: string;
  readonly at: Span;
  /** The effect as a phrase, such as "is stored by orders.create". */
  readonly use: string;
  readonly usedAt: Span;
  /** The expression to write instead. */
  readonly replacement: string;
  readonly context: string | undefined;
  /** The location of the handler's empty parameter list, if the fix adds `ctx` there. */
  readonly parameters: Span | undefined;
}
