/** One check of the analysis. */
export interface Rule {
  /** As the specification names it, without `fw/`. */
  readonly id: string;
  /** What holds where the rule is kept, one line. */
  readonly title: string;
}
