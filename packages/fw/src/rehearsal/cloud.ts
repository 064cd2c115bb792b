/** What a rehearsal asks of a cloud that stands in for Google's: the package `fake-cloud` has one. */
export interface RehearsalCloud {
  readonly project: { readonly id: string; readonly number: string; readonly region: string };
  /** Where it answers for all of Google's hosts. */
  readonly url: string;
  readonly cloud: {
    /** Of the project's web API. */
    readonly apiKey: string;
  };
  /** The environment of a process that runs as an account there. */
  envOf(serviceAccount: string): Promise<Readonly<Record<string, string>>>;
  /** Has a service of Cloud Run answer at a port of this machine; an empty list while it does not. */
  run(service: {
    readonly name: string;
    readonly serviceAccount: string;
    readonly url: string | readonly string[];
    readonly public: boolean;
  }): void;
  /** Has a job of Cloud Run. `start` resolves with whether one attempt of one task succeeded. */
  runJob(job: {
    readonly name: string;
    readonly serviceAccount: string;
    readonly taskCount: number;
    readonly maxRetries: number;
    readonly start: (task: { readonly env: Readonly<Record<string, string>> }) => Promise<boolean>;
  }): void;
  /** Grants a role on the project. */
  grant(member: string, role: string): void;
  /** From now on this goes wrong between services and Google. */
  follow(faults: object): void;
  stop(): Promise<void>;
}
