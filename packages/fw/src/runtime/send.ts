import type { MessageOperations } from "../declare/host.ts";
import type { Application } from "./application.ts";

/** Carries out what queues, topics and jobs ask for, on the application's platform. */
export function messageOperations(_application: () => Application): MessageOperations {
  const missing = (): never => {
    throw new Error("not here yet");
  };
  return { send: missing, publish: missing, start: missing };
}
