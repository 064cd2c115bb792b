import {
  SyntaxKind,
  type ElementAccessExpression,
  type Expression,
  type Node,
  type TypeReferenceNode,
} from "typescript/unstable/ast";
import type { Diagnostic as TypeScriptDiagnostic, Project } from "typescript/unstable/async";
import { errorMessage } from "./error-message.ts";
import { canWriteType, convertTo, replaceNode, type Remedy, type SourceFix } from "./source-fix.ts";

const keyMessage = /expression of type '([^']*)' can't be used to index type '(.*)'/s;

/** A type inside a marker: `Query<"open" | "paid">`, `Index<Status>`, `Header<Status, "X-Status">`. */
const markedType = /^(?:Path|Query|Form|Header|Cookie|Index|Unique|Transient)<((?:"[^"]*"|[^,"<>])+)(?:, "[^"]*")?>$/;

/** A marked literal after narrowing, as TypeScript prints it: `"open" & { readonly [index]?: Status | undefined; }`. */
const narrowedLiteral =
  /^("[^"]*"|-?\d+)(?: & \{ readonly \[(?:path|query|form|header|cookie|index|unique|transient)\]\?: [^{}]*\})+$/;

/** A plain literal that joins a marker's union, through a default value or a comparison. */
const plainLiteral = /^("[^"]*"|-?\d+)$/;

/** A printed `Record<Order["status"], string>`, which has no properties, because its key type is not a literal. */
const markedRecord = /^Record<(.+), (.+)>$/s;

/** A key with a marked type, as TypeScript's error 7053 prints it. */
interface MarkedKey {
  /** The type inside the key's marker. */
  readonly plain: string;
  /** The record, if its own keys are marked as well. */
  readonly record?: { readonly plainKey: string; readonly values: string };
}

/**
 * Returns a hint and, if possible, a fix for TypeScript's error 7053 on a key with a marked type; undefined for other
 * keys. A marked literal is an intersection, which is not a valid index, but it can be assigned to the plain literal.
 */
export async function markedKeyRemedy(project: Project, error: TypeScriptDiagnostic): Promise<Remedy | undefined> {
  const key = markedKey(errorMessage(error));
  const file = error.fileName === undefined ? undefined : await project.program.getSourceFile(error.fileName);
  const access = file && accessAt(file, error);
  if (key === undefined || access === undefined) return undefined;
  const fix = await markedKeyFix(project, access, key);
  return { hint: markedKeyHint(access.argumentExpression.getText(), key), ...(fix && { fix }) };
}

function markedKey(message: string): MarkedKey | undefined {
  const [, type = "", object = ""] = keyMessage.exec(message) ?? [];
  const plain = plainType(type);
  if (plain === undefined || message.includes("does not exist on type")) return undefined;
  const [, recordKey = "", values = ""] = markedRecord.exec(object) ?? [];
  const plainKey = plainType(recordKey);
  if (plainKey !== undefined) return { plain, record: { plainKey, values } };
  return object === "{}" || lacksKey(object, plain) ? undefined : { plain };
}

function markedKeyHint(argument: string, { plain, record }: MarkedKey): string {
  const key = /^[\w$.]+!?$/.test(argument) ? argument : "…";
  const constant = `\`const ${variableFor(key)}: ${plain} = ${key}\``;
  if (record === undefined) return `name the plain type first, as in ${constant}, and index with it`;
  const { plainKey, values } = record;
  return `a marked type cannot be the key type of a Record: write Record<${plainKey}, ${values}>, and index it with ${constant}`;
}

async function markedKeyFix(
  project: Project,
  access: ElementAccessExpression,
  { plain, record }: MarkedKey,
): Promise<SourceFix | undefined> {
  const key = access.argumentExpression;
  if (!(await canWriteType(project, plain, key))) return undefined;
  const edits = [convertTo(plain, key)];
  if (record === undefined) return { title: `Convert the key to ${plain}`, edits };
  const recordKey = await recordKeyOf(project, access.expression);
  if (recordKey === undefined || !(await canWriteType(project, record.plainKey, recordKey))) return undefined;
  return {
    title: `Declare a record of ${record.plainKey}`,
    edits: [replaceNode(recordKey, record.plainKey), ...edits],
  };
}

/**
 * Finds the first argument of `Record` in the type annotation of a variable in the same file; undefined without one.
 */
async function recordKeyOf({ checker }: Project, object: Expression): Promise<Node | undefined> {
  const symbol = await checker.getSymbolAtLocation(object);
  const declaration = await symbol?.valueDeclaration?.resolve();
  const { type } = (declaration ?? {}) as { readonly type?: Node };
  if (type?.kind !== SyntaxKind.TypeReference || type.getSourceFile() !== object.getSourceFile()) return undefined;
  const { typeName, typeArguments } = type as TypeReferenceNode;
  return typeName.getText() === "Record" ? typeArguments?.[0] : undefined;
}

function accessAt(
  node: Node,
  { pos, end }: Pick<TypeScriptDiagnostic, "pos" | "end">,
): ElementAccessExpression | undefined {
  return node.forEachChild((child) => {
    if (child.pos > pos || child.end < end) return undefined;
    const isAccess = child.kind === SyntaxKind.ElementAccessExpression && child.getStart() === pos && child.end === end;
    return isAccess ? (child as ElementAccessExpression) : accessAt(child, { pos, end });
  });
}

/** Suggests a variable name for an expression: `status` for `order.status`, `key` for anything but a member. */
export function variableFor(expression: string): string {
  const [, name] = /\.([\w$]+)!?$/.exec(expression) ?? [];
  return name ?? "key";
}

/** True if the type `plain` has no literals, or one that is not a key of `object`. */
function lacksKey(object: string, plain: string): boolean {
  if (/^(?:string|number|bigint|boolean|Date)$/.test(plain)) return true;
  const literals = [...plain.matchAll(/"([\w$]+)"/g)].map(([, name]) => name);
  // A type that TypeScript has shortened may have the key.
  return /^\{(?!.*\.\.\.)/s.test(object) && literals.some((name) => !new RegExp(`[{;] ${name}\\??:`).test(object));
}

/** Returns the type inside a printed marker; undefined if the type is not marked. */
export function plainType(type: string): string | undefined {
  const whole = markedType.exec(type)?.[1];
  if (whole !== undefined) return whole;
  const members = type.split(/ \| (?=\(|"|-?\d)/).map((part) => part.replaceAll(/^\(|\)$/g, ""));
  const literals = members.map((part) => (narrowedLiteral.exec(part) ?? plainLiteral.exec(part))?.[1]);
  const isMarked = members.some((part) => narrowedLiteral.test(part));
  return !isMarked || literals.includes(undefined) ? undefined : literals.join(" | ");
}
