/** Where an application is deployed. */
export interface DeployPlace {
  readonly app: string;
  readonly env: string;
  readonly project: string;
  readonly projectNumber: string;
  readonly region: string;
}
