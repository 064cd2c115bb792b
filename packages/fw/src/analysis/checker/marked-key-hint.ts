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

/** A marker around a type: `Query<"open" | "paid">`, `Index<Status>`, `Header<Status, "X-Status">`. */
const markedType = /^(?:Path|Query|Form|Header|Cookie|Index|Unique|Transient)<((?:"[^"]*"|[^,"<>])+)(?:, "[^"]*")?>$/;

/** A marker of one literal that TypeScript narrowed to: `"open" & { readonly [index]?: Status | undefined; }`. */
const narrowedLiteral =
  /^("[^"]*"|-?\d+)(?: & \{ readonly \[(?:path|query|form|header|cookie|index|unique|transient)\]\?: [^{}]*\})+$/;

/** A literal that a default or a comparison added to those of a marker. */
const plainLiteral = /^("[^"]*"|-?\d+)$/;

/** `Record<Order["status"], string>` has no properties: its key is no literal. */
const markedRecord = /^Record<(.+), (.+)>$/s;

/** A key with a marked type, as TypeScript's error 7053 prints it. */
interface MarkedKey {
  /** The type that the key marks. */
  readonly plain: string;
  /** The record, if its keys are marked, too. */
  readonly record?: { readonly plainKey: string; readonly values: string };
}

/**
 * Returns a hint and a fix for TypeScript's error 7053 about a key with a marked type. TypeScript indexes only by
 * literals. A marked literal is an intersection, but assignable to the plain literal.
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
  return `a marked type names no properties: write Record<${plainKey}, ${values}>, and index it with ${constant}`;
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

/** The first argument of `Record` in the type that the same file gives to the value of an expression. */
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

/** The name of a variable for the value of an expression: `status` for `order.status`. */
export function variableFor(expression: string): string {
  const [, name] = /\.([\w$]+)!?$/.exec(expression) ?? [];
  return name ?? "key";
}

/** True for a type without literals, and for a literal that the object has no property of. */
function lacksKey(object: string, plain: string): boolean {
  if (/^(?:string|number|bigint|boolean|Date)$/.test(plain)) return true;
  const literals = [...plain.matchAll(/"([\w$]+)"/g)].map(([, name]) => name);
  // TypeScript shortens long types.
  return /^\{(?!.*\.\.\.)/s.test(object) && literals.some((name) => !new RegExp(`[{;] ${name}\\??:`).test(object));
}

/** The type that a printed type marks; undefined if it is not marked. */
export function plainType(type: string): string | undefined {
  const whole = markedType.exec(type)?.[1];
  if (whole !== undefined) return whole;
  const members = type.split(/ \| (?=\(|"|-?\d)/).map((part) => part.replaceAll(/^\(|\)$/g, ""));
  const literals = members.map((part) => (narrowedLiteral.exec(part) ?? plainLiteral.exec(part))?.[1]);
  const isMarked = members.some((part) => narrowedLiteral.test(part));
  return !isMarked || literals.includes(undefined) ? undefined : literals.join(" | ");
}
