import type { DelegationSigner } from "@hostledger/core";

import type { SandboxRegistry } from "../../sandbox/sandbox-registry.ts";
import type { DigestsElement } from "../extension-elements.ts";
import { namespaces } from "../namespaces.ts";
import { childOf, type XmlElement } from "../xml.ts";
import type { Refuse } from "../shapes.codec.ts";
import { EppRefusal, type ResultCode } from "./result-codes.ts";

export interface ObjectCommand {
  readonly verb: Verb;
  /** Attribute `op` of a transfer. */
  readonly operation: string | undefined;
  /** Object element, such as `<domain:create>`. */
  readonly object: XmlElement;
  readonly extensions: readonly XmlElement[];
}

export type Verb = (typeof verbs)[number];

const verbs = ["check", "create", "info", "update", "renew", "delete", "transfer"] as const;

/** Registrar, time and ids of a command. */
export interface CommandContext {
  readonly registry: SandboxRegistry;
  readonly registrar: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly clientTransactionId: string | undefined;
  readonly serverTransactionId: string;
}

export interface Answer {
  readonly code: ResultCode;
  readonly resData?: XmlElement | undefined;
  readonly extension?: readonly XmlElement[];
  readonly messages?: {
    readonly count: number;
    readonly id: string;
    readonly queuedAt?: string;
    readonly text?: string;
  };
}

/** A parsed frame of a client. */
export type Request =
  | { readonly kind: "hello" }
  | { readonly kind: "session"; readonly name: "login" | "logout" | "poll"; readonly element: XmlElement }
  | { readonly kind: "object"; readonly command: ObjectCommand };

/** A frame with its client's transaction id. */
export interface ReadRequest {
  readonly clientTransactionId: string | undefined;
  readonly request: Request;
}

/** Parses a frame. @throws EppRefusal 2000, 2001 and 2005 */
export function readRequest(root: XmlElement): ReadRequest {
  const { epp } = namespaces;
  if (root.namespace !== epp || root.name !== "epp")
    throw new EppRefusal(2001, `The root must be <epp> of ${epp}.`);
  if (childOf(root, epp, "hello") !== undefined)
    return { clientTransactionId: undefined, request: { kind: "hello" } };
  const command = childOf(root, epp, "command");
  if (command === undefined) throw new EppRefusal(2001, "<epp> must contain <hello> or <command>.");
  const clientTransactionId = childOf(command, epp, "clTRID")?.text;
  if (clientTransactionId !== undefined && !/^.{3,64}$/u.test(clientTransactionId))
    throw new EppRefusal(2005, "<clTRID> must be 3 to 64 characters.");
  return { clientTransactionId, request: readCommand(command) };
}

function readCommand(command: XmlElement): Request {
  const [element, ...rest] = command.children;
  const holdsNone = element?.namespace !== namespaces.epp || ["clTRID", "extension"].includes(element.name);
  if (holdsNone) throw new EppRefusal(2001, "<command> is empty.");
  const { name } = element;
  if (name === "login" || name === "logout" || name === "poll") return { kind: "session", name, element };
  const verb = verbs.find((known) => known === name);
  if (verb === undefined) throw new EppRefusal(2000, `There is no command <${name.slice(0, 64)}>.`);
  const [object] = element.children;
  if (object === undefined) throw new EppRefusal(2003, `<${verb}> lacks its object.`);
  if (object.name !== verb)
    throw new EppRefusal(2001, `<${verb}> may not contain <${object.name.slice(0, 64)}>.`);
  const extension = rest.find((other) => other.namespace === namespaces.epp && other.name === "extension");
  const extensions = extension?.children ?? [];
  return { kind: "object", command: { verb, operation: element.attributes.op, object, extensions } };
}

export function extensionOf(command: ObjectCommand, namespace: string): XmlElement | undefined {
  return command.extensions.find((extension) => extension.namespace === namespace);
}

/** Returns the id under which the sandbox stores the order of a domain. */
export function orderIdOf({ clientTransactionId, serverTransactionId }: CommandContext): string {
  return clientTransactionId ?? serverTransactionId;
}

/** Refuses malformed content of a command. */
export const refuse: Refuse = (code, reason) => {
  throw new EppRefusal(code, reason);
};

/** Limits the number of items. @throws EppRefusal 2306 */
export function atMost<Item>(items: readonly Item[], most: number, what: string): readonly Item[] {
  if (items.length > most) throw new EppRefusal(2306, `There may be ${String(most)} ${what} at most.`);
  return items;
}

interface Statuses {
  readonly statuses: readonly string[];
}

/** Applies `<rem>` and `<add>` to statuses. @param settable permitted statuses @throws EppRefusal 2306 */
export function statusesAfter(
  found: readonly string[],
  { add, remove }: { readonly add?: Statuses | undefined; readonly remove?: Statuses | undefined },
  settable: ReadonlySet<string>,
): readonly string[] {
  const [added = [], removed = []] = [add?.statuses, remove?.statuses];
  const other = [...added, ...removed].find((status) => !settable.has(status));
  if (other !== undefined)
    throw new EppRefusal(2306, `A registrar does not set the status ${other.slice(0, 64)}.`);
  return [...new Set([...found.filter((status) => !removed.includes(status)), ...added])];
}

/** Returns the DS records of a command; none without the element. @throws EppRefusal 2306 for keys */
export function digestsIn({ dsData, keyData }: DigestsElement = { dsData: [] }): readonly DelegationSigner[] {
  if (keyData !== undefined) throw new EppRefusal(2306, "This registry accepts dsData, not keyData.");
  return dsData;
}
