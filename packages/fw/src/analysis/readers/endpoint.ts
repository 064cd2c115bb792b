import type { DeclarationRef, Endpoint, SocketMessages } from "../../model/app.ts";
import type { Route, RouteSettings } from "../../model/route.ts";
import { parseByteSize } from "../../lib/byte-size.ts";
import { parseDuration } from "../../lib/duration.ts";
import type { ReplyShape } from "../../model/reply-shape.ts";
import type { Schema } from "../../model/schema.ts";
import type { TypeProblem } from "../schema/schema.ts";
import type { RequestFacts } from "../shape/shape.ts";
import { readConfig, type SettingReader, type SettingsOf } from "./config.ts";
import type { Kind } from "./kind.ts";
import type { ConfigRead, Located, Reference } from "./declaration-syntax.ts";
import { parseMount, parseRoute, type RouteMistake } from "./route.ts";
import { referenceTo } from "./reference.ts";
import { pinsModel, scaling, type ScalingSettings } from "./scaling.ts";
import { anyConstant, flag } from "./settings.ts";
import { readText } from "./source.ts";

type Settings = ScalingSettings & {
  readonly signIn: SettingReader<boolean>;
  readonly allow: SettingReader<Reference>;
  readonly private: SettingReader<boolean>;
  /** Whatever constant stands there: a rule says what it must be. */
  readonly maxAge: SettingReader<unknown>;
  readonly status: SettingReader<unknown>;
  readonly maxBody: SettingReader<unknown>;
};

const settings: Settings = {
  signIn: flag,
  allow: referenceTo("Policy", "RequireRole"),
  private: flag,
  maxAge: anyConstant,
  status: anyConstant,
  maxBody: anyConstant,
  ...scaling,
};

export interface ParsedEndpoint {
  readonly kind: "api" | "page" | "mount" | "socket";
  readonly declaration: DeclarationRef;
  readonly text: Located<string>;
  /** The route, when its text is one. */
  readonly route: Route | undefined;
  readonly mistake: RouteMistake | undefined;
  readonly config: ConfigRead<SettingsOf<Settings>>;
  /** Set once the types are known. */
  readonly types?: EndpointTypes;
}

/** What an endpoint takes and answers, and which of it cannot be sent. */
export interface EndpointTypes {
  readonly request: RequestFacts;
  readonly requestRefusals: readonly TypeProblem[];
  readonly response: Schema;
  readonly replies?: readonly ReplyShape[];
  readonly responseRefusals: readonly TypeProblem[];
  /** Of a socket. */
  readonly messages?: SocketMessages;
}

/** `API(route, handler, config)` or `Page(route, handler, config)`. */
export function endpoint(kind: "api" | "page"): Kind<ParsedEndpoint, Endpoint> {
  return {
    read(source, call, declaration) {
      const text = readText(source, call, 0);
      return { kind, declaration, text, ...routeIn(text), config: readConfig(source, call, 2, settings) };
    },
    model({ kind, declaration, route, config, types }) {
      if (!route || !types) return undefined;
      const { request, response, replies, messages } = types;
      const answers = { response, ...(replies && { replies }), ...(messages && { messages }) };
      const settings = settingsModel(config);
      return { kind, declaration, route, settings, request: request.shape, ...answers, ...pinsModel(config.settings) };
    },
  };
}

const { maxAge: _maxAge, status: _status, ...mountSettings } = settings;

/** What a mount takes and answers is known to nobody but who is mounted. */
const mounted: EndpointTypes = {
  request: { shape: { bound: [], body: [], carries: "stream" }, untagged: [], faults: [], wholes: [] },
  requestRefusals: [],
  response: { kind: "void" },
  responseRefusals: [],
};

/** `Mount(path, handler, config)`. */
export const mount: Kind<ParsedEndpoint, Endpoint> = {
  read(source, call, declaration) {
    const text = readText(source, call, 0);
    const config = readConfig(source, call, 2, mountSettings) as ParsedEndpoint["config"];
    return { kind: "mount", declaration, text, ...mountIn(text), config, types: mounted };
  },
  model: (parsed, service) => endpoint("api").model(parsed, service),
};

const { private: _private, ...socketSettings } = mountSettings;

/** `Socket(route, handler, config)`. */
export const socket: Kind<ParsedEndpoint, Endpoint> = {
  read(source, call, declaration) {
    const text = readText(source, call, 0);
    const config = readConfig(source, call, 2, socketSettings) as ParsedEndpoint["config"];
    return { kind: "socket", declaration, text, ...socketIn(text), config };
  },
  model: (parsed, service) => endpoint("api").model(parsed, service),
};

/** A socket begins as a GET. */
function socketIn(text: Located<string>): Pick<ParsedEndpoint, "route" | "mistake"> {
  const { route, mistake } = routeIn(text);
  if (route === undefined || route.method === "GET") return { route, mistake };
  const message = `a socket begins as a GET, and "${route.pattern}" as another request`;
  return {
    route: undefined,
    mistake: { message, hint: `write "GET ${route.pattern.slice(route.method.length + 1)}"` },
  };
}

function mountIn({ value }: Located<string>): Pick<ParsedEndpoint, "route" | "mistake"> {
  const parsed = value === undefined ? undefined : parseMount(value);
  if (parsed && "message" in parsed) return { route: undefined, mistake: parsed };
  return { route: parsed, mistake: undefined };
}

function routeIn({ value }: Located<string>): {
  readonly route: Route | undefined;
  readonly mistake: RouteMistake | undefined;
} {
  const parsed = value === undefined ? undefined : parseRoute(value);
  if (parsed && "message" in parsed) return { route: undefined, mistake: parsed };
  return { route: parsed, mistake: undefined };
}

function settingsModel({ settings }: ParsedEndpoint["config"]): RouteSettings {
  const { signIn, allow, private: internal, maxAge, status, maxBody } = settings;
  const ms = typeof maxAge?.value === "string" ? parseDuration(maxAge.value) : undefined;
  const bytes = typeof maxBody?.value === "string" ? parseByteSize(maxBody.value) : undefined;
  return {
    signIn: allow !== undefined || (signIn?.value ?? false),
    ...(allow?.value?.kind === "declared"
      ? { allow: { module: allow.value.module, variable: allow.value.variable } }
      : {}),
    private: internal?.value ?? false,
    ...(ms === undefined ? {} : { maxAge: Math.floor(ms / 1000) }),
    ...(typeof status?.value === "number" ? { status: status.value } : {}),
    ...(bytes === undefined ? {} : { maxBody: bytes }),
  };
}
