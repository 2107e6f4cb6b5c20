import { namespaces } from "./namespaces.ts";
import { buildXml, element, type XmlElement } from "./xml.ts";

const { epp } = namespaces;

/** A command before it has an id: what it asks, and what extends it. */
export interface Command {
  readonly content: XmlElement;
  readonly extensions?: readonly XmlElement[];
  /** What it carries that nobody may read in an error or a log, though a server should repeat it. */
  readonly secrets?: readonly string[];
}

/** Whether a command asks only, so that it may be asked again: it changes nothing at the registry. */
export function isQuestion({ content: { name, attributes } }: Command): boolean {
  if (name === "check" || name === "info") return true;
  return (name === "transfer" && attributes.op === "query") || (name === "poll" && attributes.op === "req");
}

/** Who logs in, and for what (RFC 5730 §2.9.1.1). */
export interface Login {
  readonly user: string;
  readonly password: string;
  readonly language: string;
  readonly objects: readonly string[];
  readonly extensions: readonly string[];
}

/** The frame of a command. @param clientTransactionId 3 to 64 characters, which the answer repeats. */
export function commandXml({ content, extensions = [] }: Command, clientTransactionId: string): string {
  const extension = extensions.length > 0 ? element(epp, "extension", extensions) : undefined;
  const command = [content, extension, element(epp, "clTRID", clientTransactionId)];
  return buildXml(element(epp, "epp", [element(epp, "command", command)]));
}

/** Asks for a greeting; it keeps a session alive (RFC 5730 §2.3). */
export function helloXml(): string {
  return buildXml(element(epp, "epp", [element(epp, "hello")]));
}

/** Begins a session. */
export function login({ user, password, language, objects, extensions }: Login): Command {
  const uris = (name: string, all: readonly string[]) => all.map((uri) => element(epp, name, uri));
  const services = [
    ...uris("objURI", objects),
    extensions.length > 0 ? element(epp, "svcExtension", uris("extURI", extensions)) : undefined,
  ];
  const content = element(epp, "login", [
    element(epp, "clID", user),
    element(epp, "pw", password),
    element(epp, "options", [element(epp, "version", "1.0"), element(epp, "lang", language)]),
    element(epp, "svcs", services),
  ]);
  return { content, secrets: [password] };
}

/** Ends a session. */
export const logout: Command = { content: element(epp, "logout") };

/** Asks for the first message of the queue, which stays there (RFC 5730 §2.9.2.3). */
export const pollRequest: Command = { content: element(epp, "poll", [], { op: "req" }) };

/** Takes the message off the queue. */
export function pollAcknowledge(messageId: string): Command {
  return { content: element(epp, "poll", [], { op: "ack", msgID: messageId }) };
}

/** A command about an object: `<create><domain:create>`, for example. */
export function objectCommand(
  verb: string,
  namespace: string,
  content: readonly (XmlElement | undefined)[],
  attributes: Readonly<Record<string, string>> = {},
): XmlElement {
  return element(epp, verb, [element(namespace, verb, content)], attributes);
}
