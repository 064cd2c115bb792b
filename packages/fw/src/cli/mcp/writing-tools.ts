import { consoleTool } from "./dev-server.ts";
import type { Tool } from "./tool.ts";

/** Tools that change data or run the application's code. */
export const writingTools: readonly Tool[] = [
  writing("call_route", "call", "Sends a request to the running application and returns the answer.", {
    method: { type: "string", description: "such as POST", required: true },
    path: { type: "string", description: "path and query, such as /orders?limit=5", required: true },
    headers: { type: "objects", description: 'such as {"name": "content-type", "value": "application/json"}' },
    body: { type: "string", description: "the body" },
    email: { type: "string", description: "call as this user, with a session for this call only" },
    roles: { type: "strings", description: "roles of that user" },
  }),
  writing("save_document", "documents/save", "Replaces a document, if it has not changed since it was read.", {
    kind: { type: "string", description: "the entity's name", required: true },
    id: { type: "string", description: "the document's id", required: true },
    version: { type: "string", description: "the version that was read", required: true },
    json: { type: "string", description: "the fields as `documents` returns them, as JSON", required: true },
  }),
  writing("delete_document", "documents/delete", "Deletes a document, if it has not changed since it was read.", {
    kind: { type: "string", description: "the entity's name", required: true },
    id: { type: "string", description: "the document's id", required: true },
    version: { type: "string", description: "the version that was read", required: true },
  }),
  writing("replay_message", "messages/replay", "Sends a dead message to its consumer again.", {
    consumer: { type: "string", description: "as `messages` lists it", required: true },
    id: { type: "string", description: "as `messages` lists it", required: true },
  }),
  writing("drop_message", "messages/drop", "Deletes a dead message.", {
    consumer: { type: "string", description: "as `messages` lists it", required: true },
    id: { type: "string", description: "as `messages` lists it", required: true },
  }),
  writing("run_cron", "crons/run", "Runs a cron now, to its end.", {
    name: { type: "string", description: "the cron's name", required: true },
  }),
  writing("start_job", "jobs/start", "Starts a job.", {
    name: { type: "string", description: "the job's name", required: true },
    args: { type: "string", description: "the arguments as JSON" },
    tenant: { type: "string", description: "the tenant of the run, for a job with tenants" },
  }),
];

function writing(name: string, operation: string, description: string, fields: Tool["arguments"]): Tool {
  return { ...consoleTool(name, operation, description, fields), writes: true };
}
