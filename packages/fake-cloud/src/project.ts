/** The fake's project. */
export interface Project {
  readonly id: string;
  /** The project number, twelve digits. */
  readonly number: string;
  readonly region: string;
}
