import type { Endpoint, SocketMessages } from "../../model/app.ts";
import type { DeclarationBase } from "../../model/declaration-ref.ts";
import type { Route, RouteSettings } from "../../model/route.ts";
import { parseByteSize } from "../../lib/byte-size.ts";
import type { ReplyShape } from "../../model/reply-shape.ts";
import type { Schema } from "../../model/schema.ts";
import type { TypeProblem } from "../schema/schema.ts";
import type { RequestFacts } from "../shape/request.ts";
import { readConfig, type SettingReader, type SettingReaders, type SettingsOf } from "./config.ts";
import type { DeclarationSource, OwnFacts, DeclarationReader } from "./declaration-reader.ts";
import type { ConfigRead, Located, DeclarationReference } from "./declaration-syntax.ts";
import { parseMount, parseRoute, parseSocketRoute, type RouteMistake } from "./route.ts";
import { readReferences, referenceTo, type NamedReference } from "./reference.ts";
import { pinsModel, scaling, type ScalingSettings } from "./scaling.ts";
import { anyConstant, flag } from "./setting-readers.ts";
import { millisecondsIn, readText, spanIn } from "./source.ts";

type Settings = ScalingSettings & {
  readonly signIn: SettingReader<boolean>;
  readonly allow: SettingReader<DeclarationReference>;
  readonly private: SettingReader<boolean>;
  /** Any constants, because rules check the values. */
  readonly maxAge: SettingReader<unknown>;
  readonly status: SettingReader<unknown>;
  readonly maxBody: SettingReader<unknown>;
  readonly invalid: SettingReader<true>;
  readonly once: SettingReader<boolean>;
  readonly live: SettingReader<boolean>;
  readonly tools: SettingReader<readonly Located<NamedReference>[]>;
};

/** Reads a setting that holds code; TypeScript checks it. */
const code: SettingReader<true> = (source, _name, node) => ({
  reading: { at: spanIn(source, node), value: true },
  faults: [],
});

const pageSettings: Omit<Settings, "tools"> = {
  signIn: flag,
  allow: referenceTo("Policy", "RequireRole", "RequireMember"),
  private: flag,
  maxAge: anyConstant,
  status: anyConstant,
  maxBody: anyConstant,
  invalid: code,
  once: flag,
  live: flag,
  ...scaling,
};

const { invalid: _invalid, once: _once, live: _live, ...settings } = pageSettings;

export interface ParsedEndpoint extends DeclarationBase<Endpoint["kind"]> {
  readonly text: Located<string>;
  /** The route, if the string is valid. */
  readonly route: Route | undefined;
  readonly mistake: RouteMistake | undefined;
  readonly config: ConfigRead<SettingsOf<Settings>>;
  /** True for an MCP server, whose settings name its tools. */
  readonly isServer?: true;
  /** Set once the types are read. */
  readonly types?: EndpointTypes;
}

/** The request and response of an endpoint, and their parts that cannot be sent. */
export interface EndpointTypes {
  readonly request: RequestFacts;
  readonly requestRefusals: readonly TypeProblem[];
  readonly response: Schema;
  readonly replies?: readonly ReplyShape[];
  readonly responseRefusals: readonly TypeProblem[];
  readonly messages?: SocketMessages;
}

/** Reads `API(route, handler, config)`. */
export const endpoint: DeclarationReader<ParsedEndpoint, Endpoint> = {
  read: (source) => readEndpoint(source, parseRoute, settings),
  model: endpointModel,
};

export const page: DeclarationReader<ParsedEndpoint, Endpoint> = {
  read: (source) => readEndpoint(source, parseRoute, pageSettings),
  model: endpointModel,
};

const { maxAge: _maxAge, status: _status, ...mountSettings } = settings;

/** The types of a mount. Only the mounted handler defines its requests and responses. */
const mountTypes: EndpointTypes = {
  request: { shape: { bound: [], body: [], carries: "stream" }, untagged: [], faults: [], wholes: [] },
  requestRefusals: [],
  response: { kind: "void" },
  responseRefusals: [],
};

const { private: _private, ...socketSettings } = mountSettings;

const serverSettings = {
  ...socketSettings,
  tools: ((source, _name, node) => ({
    reading: { at: spanIn(source, node), value: readReferences(source, node, "API") },
    faults: [],
  })) satisfies Settings["tools"],
};

/** Reads `Mount(path, handler, config)` and `MCP(path, config)`. */
export const mount: DeclarationReader<ParsedEndpoint, Endpoint> = {
  read(source) {
    if (source.name !== "MCP") return { ...readEndpoint(source, parseMount, mountSettings), types: mountTypes };
    return { ...readEndpoint(source, parseMount, serverSettings, 1), isServer: true, types: mountTypes };
  },
  model: endpointModel,
};

export const socket: DeclarationReader<ParsedEndpoint, Endpoint> = {
  read: (source) => readEndpoint(source, parseSocketRoute, socketSettings),
  model: endpointModel,
};

function readEndpoint(
  source: DeclarationSource,
  parse: (text: string) => Route | RouteMistake,
  readers: Partial<Settings> & SettingReaders,
  configIndex = 2,
): OwnFacts<ParsedEndpoint> {
  const text = readText(source, 0);
  const config: ParsedEndpoint["config"] = readConfig(source, configIndex, readers);
  const parsed = text.value === undefined ? undefined : parse(text.value);
  const mistake = parsed && "message" in parsed ? parsed : undefined;
  return { text, route: mistake ? undefined : (parsed as Route | undefined), mistake, config };
}

function endpointModel({ route, config, types }: ParsedEndpoint): OwnFacts<Endpoint> | undefined {
  if (!route || !types) return undefined;
  const { request, response, replies, messages } = types;
  const answers = { response, ...(replies && { replies }), ...(messages && { messages }) };
  const own = { route, settings: settingsModel(config), request: request.shape, ...answers };
  return { ...own, ...toolsModel(config), ...pinsModel(config.settings) };
}

/** Returns the APIs that an MCP server offers; rules report other values. */
function toolsModel({ settings: { tools } }: ParsedEndpoint["config"]): Pick<Endpoint, "tools"> {
  if (tools?.value === undefined) return {};
  const references = tools.value.flatMap(({ value }) => value?.reference ?? []);
  return {
    tools: references.flatMap((each) =>
      each.kind === "declared" ? { module: each.module, variable: each.variable } : [],
    ),
  };
}

function settingsModel({ settings }: ParsedEndpoint["config"]): RouteSettings {
  const { signIn, allow, private: internal, maxAge, status, maxBody, invalid, once, live } = settings;
  const ms = millisecondsIn(maxAge);
  const bytes = typeof maxBody?.value === "string" ? parseByteSize(maxBody.value) : undefined;
  return {
    signIn: allow !== undefined || (signIn?.value ?? false),
    ...(allow?.value?.kind === "declared" && {
      allow: { module: allow.value.module, variable: allow.value.variable },
    }),
    private: internal?.value ?? false,
    ...(ms === undefined ? {} : { maxAge: Math.floor(ms / 1000) }),
    ...(typeof status?.value === "number" ? { status: status.value } : {}),
    ...(bytes === undefined ? {} : { maxBody: bytes }),
    ...(invalid && { invalid: true }),
    ...(once?.value && { once: true }),
    ...(live?.value && { live: true }),
  };
}
