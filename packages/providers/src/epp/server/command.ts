import type { SandboxRegistry } from "../../sandbox/sandbox-registry.ts";
import { namespaces } from "../namespaces.ts";
import { childOf, type XmlElement } from "../xml.ts";
import { clientTransactionIdIn } from "./reading.ts";
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
  readonly resData?: XmlElement;
  readonly extension?: readonly XmlElement[];
  readonly messages?: {
    readonly count: number;
    readonly id: string;
    readonly content?: readonly XmlElement[];
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
  if (command === undefined) throw new EppRefusal(2001, "<epp> must hold <hello> or <command>.");
  return { clientTransactionId: clientTransactionIdIn(command), request: readCommand(command) };
}

function readCommand(command: XmlElement): Request {
  const [element, ...rest] = command.children;
  const holdsNone = element?.namespace !== namespaces.epp || ["clTRID", "extension"].includes(element.name);
  if (holdsNone) throw new EppRefusal(2001, "<command> holds no command.");
  const { name } = element;
  if (name === "login" || name === "logout" || name === "poll") return { kind: "session", name, element };
  const verb = verbs.find((known) => known === name);
  if (verb === undefined) throw new EppRefusal(2000, `There is no command <${name.slice(0, 64)}>.`);
  const [object] = element.children;
  if (object === undefined) throw new EppRefusal(2003, `<${verb}> lacks its object.`);
  if (object.name !== verb) throw new EppRefusal(2001, `<${verb}> holds <${object.name.slice(0, 64)}>.`);
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
