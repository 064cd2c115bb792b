/** The project that the fake holds. */
export interface Project {
  readonly id: string;
  /** Twelve digits. */
  readonly number: string;
  readonly region: string;
}
