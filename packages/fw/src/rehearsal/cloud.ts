/** The fake cloud of a rehearsal; the package `fake-cloud` implements it. */
export interface RehearsalCloud {
  readonly project: { readonly id: string; readonly number: string; readonly region: string };
  /** The URL that serves all of Google's hosts. */
  readonly url: string;
  readonly cloud: {
    /** The project's web API key. */
    readonly apiKey: string;
  };
  envOf(serviceAccount: string): Promise<Readonly<Record<string, string>>>;
  /** Routes a Cloud Run service to one or several URLs of this machine. An empty list means that it is down. */
  run(service: {
    readonly name: string;
    readonly serviceAccount: string;
    readonly url: string | readonly string[];
    readonly public: boolean;
  }): void;
  /** Registers a Cloud Run job. `start` resolves with true if the attempt of the task succeeded. */
  runJob(job: {
    readonly name: string;
    readonly serviceAccount: string;
    readonly taskCount: number;
    readonly maxRetries: number;
    readonly start: (task: { readonly env: Readonly<Record<string, string>> }) => Promise<boolean>;
  }): void;
  grant(member: string, role: string): void;
  /** Injects faults between services and Google. */
  follow(faults: object): void;
  stop(): Promise<void>;
}
