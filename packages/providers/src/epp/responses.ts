import { asLine } from "@hostledger/core";

import { sessionElements } from "./session-elements.ts";
import { namespaces } from "./namespaces.ts";
import { childOf, XmlError, type XmlElement } from "./xml.ts";

const { epp } = namespaces;

/** A server's greeting (RFC 5730 §2.4). */
export interface Greeting {
  readonly serverId: string;
  readonly versions: readonly string[];
  readonly languages: readonly string[];
  /** URIs of objects. */
  readonly objects: readonly string[];
  /** URIs of extensions. */
  readonly extensions: readonly string[];
}

/** A server's response (RFC 5730 §2.6). */
export interface Response {
  /** Code of the first result (RFC 5730 §3). */
  readonly code: number;
  /** Messages of all results in one line, for people. */
  readonly message: string;
  readonly clientTransactionId: string | undefined;
  /** Data element, such as `<domain:infData>`. */
  readonly data: XmlElement | undefined;
  readonly extensions: readonly XmlElement[];
  /** State of the poll queue (RFC 5730 §2.9.2.3), and the text of the requested message. */
  readonly messages:
    | { readonly count: number; readonly id: string; readonly text: string | undefined }
    | undefined;
}

/** Maximum characters of a server's message. */
const longestMessage = 300;

/** Parses a greeting. @throws XmlError */
export function readGreeting(root: XmlElement): Greeting {
  const { serverId = "", menu } = sessionElements.greeting.read(envelope(root, "greeting"));
  if (menu === undefined) throw new XmlError("The greeting has no <svcMenu>.");
  return { serverId, ...menu, extensions: menu.extensions?.uris ?? [] };
}

/** Parses a response. @throws XmlError @param hide removes secrets from the server's messages before they are shortened. */
export function readResponse(root: XmlElement, hide = (text: string): string => text): Response {
  const { results, queue, data, extensions, ids } = sessionElements.response.read(envelope(root, "response"));
  const code = results[0]?.code ?? "";
  if (!/^[12]\d{3}$/.test(code)) throw new XmlError("The response has no result with a code.");
  // Omits values that the server repeats, because they may be secrets.
  const messages = results.map(({ message, reasons }) =>
    [message, ...reasons.map(({ reason }) => reason)].filter(Boolean).join(": "),
  );
  return {
    code: Number(code),
    message: asLine(hide(messages.filter(Boolean).join("; ")), longestMessage, "no text"),
    clientTransactionId: ids?.client,
    data: data?.[0],
    extensions: extensions ?? [],
    messages: queue && {
      count: Number(queue.count ?? "0"),
      id: queue.id ?? "",
      text: queue.text?.slice(0, longestMessage),
    },
  };
}

function envelope(root: XmlElement, name: string): XmlElement {
  const inner = root.namespace === epp && root.name === "epp" ? childOf(root, epp, name) : undefined;
  if (inner === undefined) throw new XmlError(`The message is not EPP 1.0 with a <${name}>.`);
  return inner;
}
