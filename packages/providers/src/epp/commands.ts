import { sessionElements } from "./session-elements.ts";
import { namespaces } from "./namespaces.ts";
import { buildXml, element, type XmlElement } from "./xml.ts";

const { epp } = namespaces;

/** A command without its transaction id. */
export interface Command {
  readonly content: XmlElement;
  readonly extensions?: readonly XmlElement[];
  /** Secrets in the command, which must be removed from errors and logs even if a server repeats them. */
  readonly secrets?: readonly string[];
}

/** Returns true for a command that changes nothing at the registry and may be repeated. */
export function isQuestion({ content: { name, attributes } }: Command): boolean {
  if (name === "check" || name === "info") return true;
  return (name === "transfer" && attributes.op === "query") || (name === "poll" && attributes.op === "req");
}

/** Serialises a command. @param clientTransactionId 3 to 64 characters, repeated in the answer. */
export function commandXml({ content, extensions = [] }: Command, clientTransactionId: string): string {
  const extension = extensions.length > 0 ? element(epp, "extension", extensions) : undefined;
  const command = [content, extension, element(epp, "clTRID", clientTransactionId)];
  return buildXml(element(epp, "epp", [element(epp, "command", command)]));
}

/** Requests a greeting, which keeps a session alive (RFC 5730 §2.3). */
export function helloXml(): string {
  return buildXml(element(epp, "epp", [element(epp, "hello")]));
}

/** Logs in (RFC 5730 §2.9.1.1). @param services URIs of objects and extensions that both sides have */
export function login(
  user: string,
  password: string,
  {
    language,
    objects,
    extensions,
  }: Readonly<Record<"objects" | "extensions", readonly string[]>> & { readonly language: string },
): Command {
  const content = sessionElements.login.write({
    user,
    password,
    options: { version: "1.0", language },
    services: { objects, extensions: extensions.length > 0 ? { uris: extensions } : undefined },
  });
  return { content, secrets: [password] };
}

export const logout: Command = { content: element(epp, "logout") };

/** Requests the first poll message without removing it (RFC 5730 §2.9.2.3). */
export const pollRequest: Command = { content: sessionElements.poll.write({ operation: "req" }) };

export function pollAcknowledge(messageId: string): Command {
  return { content: sessionElements.poll.write({ operation: "ack", messageId }) };
}

/** Returns a command on an object, such as `<create>` around `<domain:create>`. */
export function objectCommand(
  object: XmlElement,
  attributes: Readonly<Record<string, string>> = {},
): Command {
  return { content: element(epp, object.name, [object], attributes) };
}
