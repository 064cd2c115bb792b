import { spawn } from "node:child_process";
import { join } from "node:path";
import { pageNamed, similarPage, unknownPage } from "../docs/pages.ts";
import { searchDocs } from "../docs/search.ts";
import { masked, maskBody, maskHeader, maskJSON } from "../../lib/mask-secrets.ts";
import { askConsole, consoleTool, formatAnswer } from "./dev-server.ts";
import { recentLogs, recentRequests, requestWithLogs } from "./events.ts";
import { ToolFailure, type Tool, type ToolContext } from "./tool.ts";
import { ownDirectory } from "../../lib/own-modules.ts";

/** The maximum number of characters of a command's output. Its end is kept, which matters most in a test report. */
const keptOutput = 1_000_000;

const readingTools: readonly Tool[] = [
  {
    name: "check",
    description:
      "Reports every problem of the application as JSON: code, path, line, column, message and hint. Nothing of the application runs.",
    arguments: {},
    run: async (_values, context) => (await runFw(["check", "--json"], context)).out,
  },
  {
    name: "graph",
    description:
      "Describes the application as JSON: services, routes with their gates, entities with indexes, queues, crons, jobs, roles and where each is declared.",
    arguments: {
      grants: { type: "boolean", description: "list what each service may do and why, instead of the declarations" },
    },
    run: async ({ grants }, context) => {
      const { code, out, err } = await runFw(["gen", "graph", "--json", ...(grants ? ["--grants"] : [])], context);
      if (code !== 0) throw new ToolFailure(`${err}${out}`);
      return out;
    },
  },
  {
    name: "docs_search",
    description:
      "Finds sections of fw's documentation that contain all words, or most of them. Read a page with docs_page.",
    arguments: { words: { type: "string", description: "words to look for", required: true } },
    run: async ({ words }) => {
      const { matches } = searchDocs(String(words));
      if (matches.length === 0) throw new ToolFailure(unknownPage(String(words)).message);
      return JSON.stringify(matches, undefined, 2);
    },
  },
  {
    name: "docs_page",
    description: "Returns a page of fw's documentation, or the page of a rule, as markdown.",
    arguments: { name: { type: "string", description: "such as entity or fw/route-conflict", required: true } },
    run: async ({ name }) => {
      const page = pageNamed(String(name));
      if (page === undefined) {
        const similar = similarPage(String(name));
        const next = similar === undefined ? "docs_search finds pages by words" : `did you mean "${similar}"?`;
        throw new ToolFailure(`there is no page "${String(name)}"; ${next}`);
      }
      return page.text;
    },
  },
  {
    name: "test",
    description: "Runs the application's tests and returns the report. Tests work on isolated applications.",
    arguments: { filter: { type: "strings", description: "run only test files whose path contains one of these" } },
    run: async ({ filter }, context) => {
      const { code, out, err } = await runFw(["test", ...((filter as readonly string[] | undefined) ?? [])], context);
      return `${code === 0 ? "passed" : "failed"}\n${out}${err}`;
    },
  },
  {
    name: "requests",
    description:
      "Lists the newest requests of the running application: id, trace, method, path, route, status, duration in ms, service and user. Read one with `request`.",
    arguments: {
      route: { type: "string", description: "only of this route, such as GET /orders/{id}" },
      status: { type: "integer", description: "only with at least this status, such as 500" },
      limit: { type: "integer", description: "how many, 50 by default" },
    },
    run: recentRequests,
  },
  {
    name: "request",
    description:
      "Returns one request of the running application with its log lines, the cause of a 500, and the requests of other services in the same trace.",
    arguments: {
      id: { type: "string", description: "the id, which is the X-Request-Id of the response", required: true },
    },
    run: requestWithLogs,
  },
  {
    name: "logs",
    description: "Lists the newest log lines of the running application. Values of secrets are removed.",
    arguments: {
      service: { type: "string", description: "only of this service" },
      severity: {
        type: "string",
        description: "only of this severity",
        values: ["DEBUG", "INFO", "WARNING", "ERROR"],
      },
      limit: { type: "integer", description: "how many, 100 by default" },
    },
    run: recentLogs,
  },
  documentTool("documents", "Returns a page of an entity's documents, and the index that served the query.", {
    filters: {
      type: "objects",
      description:
        'conditions on indexed fields: {"property": "buyer", "op": "==", "value": "\\"ann\\""}; value is JSON',
    },
    orders: { type: "objects", description: 'such as {"property": "placed", "direction": "desc"}' },
    after: { type: "string", description: "`next` of the previous page" },
  }),
  reading("metrics", "Lists counters and histograms of the running application, with percentiles."),
  {
    ...reading("messages", "Lists waiting messages of each consumer, and dead messages with their reasons."),
    run: async (values, context) => {
      const answer = (await askConsole("messages", values, context)) as MessagesAnswer;
      const dead = answer.dead.map((each) => ({ ...each, body: maskJSON(each.body) }));
      return formatAnswer({ ...answer, dead });
    },
  },
  reading("accounts", "Lists a page of accounts with roles and sessions.", {
    after: { type: "string", description: "`next` of the previous page" },
  }),
];

/** Returns the tools of a server. `allowWrites` includes the tools with `writes`. */
export function toolsFor({ allowWrites }: { readonly allowWrites: boolean }): readonly Tool[] {
  return allowWrites ? [...readingTools, ...writingTools] : readingTools;
}

function reading(name: string, description: string, fields: Tool["arguments"] = {}): Tool {
  return consoleTool(name, name, description, fields);
}

interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of this fw in the application, in a separate process, and ends it when the call is canceled. */
async function runFw(args: readonly string[], { root, env, signal }: ToolContext): Promise<CommandResult> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [join(ownDirectory, "../bin/fw.js"), ...args], {
    cwd: root,
    env: { ...env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  const [out, err] = [keepEnd(child.stdout), keepEnd(child.stderr)];
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject).once("close", (exitCode) => resolve(exitCode ?? 1));
  });
  return { code, out: out(), err: err() };
}

function keepEnd(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (piece: string) => {
    text = (text + piece).slice(-keptOutput);
  });
  return () => text;
}

/** The response of the console's operation `messages`, in which each body is JSON. */
interface MessagesAnswer {
  readonly dead: readonly { readonly body: string }[];
}

/** The response of the console's operation `call`. */
interface CallAnswer {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Tools that change data or run the application's code. */
const writingTools: readonly Tool[] = [
  {
    ...writing("call_route", "call", "Sends a request to the running application and returns the response.", {
      method: { type: "string", description: "such as POST", required: true },
      path: { type: "string", description: "path and query, such as /orders?limit=5", required: true },
      headers: { type: "objects", description: 'such as {"name": "content-type", "value": "application/json"}' },
      body: { type: "string", description: "the body" },
      email: { type: "string", description: "call as this user, with a session for this call only" },
      roles: { type: "strings", description: "roles of that user" },
    }),
    run: async (values, context) => {
      refusePlaceholder("body", values["body"]);
      const answer = (await askConsole("call", values, context)) as CallAnswer;
      const headers = answer.headers.map(([name, value]) => [name, maskHeader(name, value)]);
      const type = answer.headers.find(([name]) => name === "content-type")?.[1] ?? "";
      return formatAnswer({ ...answer, headers, body: maskBody(answer.body, type) });
    },
  },
  changingDocument("save_document", "documents/save", "Replaces a document", {
    json: { type: "string", description: "the fields as `documents` returns them, as JSON", required: true },
  }),
  changingDocument("delete_document", "documents/delete", "Deletes a document"),
  changingDeadMessage("replay_message", "messages/replay", "Sends a dead message to its consumer again."),
  changingDeadMessage("drop_message", "messages/drop", "Deletes a dead message."),
  writing("run_cron", "crons/run", "Runs a cron now, to its end.", {
    name: { type: "string", description: "the cron's name", required: true },
  }),
  {
    ...writing("start_job", "jobs/start", "Starts a job.", {
      name: { type: "string", description: "the job's name", required: true },
      args: { type: "string", description: "the arguments as JSON" },
      tenant: { type: "string", description: "the tenant of the run, for a job with tenants" },
    }),
    run: async (values, context) => {
      refusePlaceholder("args", values["args"]);
      return formatAnswer(await askConsole("jobs/start", values, context));
    },
  },
];

/** Refuses to write a placeholder that tools show instead of a credential, even one escaped as in JSON or a form. */
function refusePlaceholder(field: string, value: unknown = ""): void {
  const text = String(value);
  const [placeholder] = placeholders.exec(`${text}\n${unescaped(text)}`) ?? [];
  if (placeholder === undefined) return;
  throw new ToolFailure(
    `"${field}" contains ${placeholder}, which tools show in place of a credential; write the credential itself through a route of the application, or make the change in the console`,
  );
}

const placeholders = new RegExp(`${masked}|${encodeURIComponent(masked)}|\\[secret [\\w-]+\\]`, "i");

function unescaped(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return "";
  }
}

function writing(name: string, operation: string, description: string, fields: Tool["arguments"]): Tool {
  return { ...consoleTool(name, operation, description, fields), writes: true };
}

/** Creates a tool for the documents of an entity. Passes the entity's name to the console's operation as `kind`. */
function documentTool(operation: string, description: string, fields: Tool["arguments"], name = operation): Tool {
  const entity = { type: "string", description: "the entity's name", required: true } as const;
  return {
    ...consoleTool(name, operation, description, { entity, ...fields }),
    run: async ({ entity: kind, ...rest }, context) => {
      refusePlaceholder("json", rest["json"]);
      return formatAnswer(await askConsole(operation, { kind, ...rest }, context));
    },
  };
}

function changingDocument(name: string, operation: string, change: string, fields: Tool["arguments"] = {}): Tool {
  const version = {
    id: { type: "string", description: "the document's id", required: true },
    version: { type: "string", description: "the version that was read", required: true },
  } as const;
  const description = `${change}, if it has not changed since it was read.`;
  return { ...documentTool(operation, description, { ...version, ...fields }, name), writes: true };
}

function changingDeadMessage(name: string, operation: string, description: string): Tool {
  const fields = {
    consumer: { type: "string", description: "as `messages` lists it", required: true },
    id: { type: "string", description: "as `messages` lists it", required: true },
  } as const;
  return {
    ...writing(name, operation, description, fields),
    run: async (values, context) => {
      const answer = (await askConsole(operation, values, context)) as { readonly done: boolean };
      if (!answer.done)
        throw new ToolFailure(
          `${String(values["consumer"])} has no dead message "${String(values["id"])}"; \`messages\` lists them`,
        );
      return formatAnswer(answer);
    },
  };
}
