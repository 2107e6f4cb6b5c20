import { asLine } from "@hostledger/core";

import { namespaces } from "./namespaces.ts";
import { childOf, childrenOf, descendantOf, XmlError, type XmlElement } from "./xml.ts";

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
  readonly messages: MessageQueue | undefined;
}

/** State of the poll queue (RFC 5730 §2.9.2.3). */
export interface MessageQueue {
  readonly count: number;
  readonly id: string;
  /** Time of the requested message; ISO 8601. */
  readonly queuedAt: string | undefined;
  readonly text: string | undefined;
}

/** Maximum characters of a server's message. */
const longestMessage = 300;

/** Parses a greeting. @throws XmlError */
export function readGreeting(root: XmlElement): Greeting {
  const greeting = envelope(root, "greeting");
  const menu = childOf(greeting, epp, "svcMenu");
  if (menu === undefined) throw new XmlError("The greeting has no <svcMenu>.");
  const extension = childOf(menu, epp, "svcExtension");
  return {
    serverId: childOf(greeting, epp, "svID")?.text ?? "",
    versions: textsOf(menu, "version"),
    languages: textsOf(menu, "lang"),
    objects: textsOf(menu, "objURI"),
    extensions: extension === undefined ? [] : textsOf(extension, "extURI"),
  };
}

/** Parses a response. @throws XmlError @param hide removes secrets from the server's messages before they are shortened. */
export function readResponse(root: XmlElement, hide = (text: string): string => text): Response {
  const response = envelope(root, "response");
  const results = childrenOf(response, epp, "result");
  const [result] = results;
  const code = result?.attributes.code ?? "";
  if (result === undefined || !/^[12]\d{3}$/.test(code))
    throw new XmlError("The response has no result with a code.");
  return {
    code: Number(code),
    message: asLine(hide(results.map(messageOf).filter(Boolean).join("; ")), longestMessage, "no text"),
    clientTransactionId: descendantOf(response, epp, "trID", "clTRID")?.text,
    data: childOf(response, epp, "resData")?.children[0],
    extensions: childOf(response, epp, "extension")?.children ?? [],
    messages: queueOf(response),
  };
}

function envelope(root: XmlElement, name: string): XmlElement {
  const inner = root.namespace === epp && root.name === "epp" ? childOf(root, epp, name) : undefined;
  if (inner === undefined) throw new XmlError(`What came is not EPP 1.0 with a <${name}>.`);
  return inner;
}

/** Joins the messages. Values that the server repeats are omitted, because they may be secrets. */
function messageOf(result: XmlElement): string {
  const reasons = childrenOf(result, epp, "extValue").map((value) => childOf(value, epp, "reason")?.text);
  return [childOf(result, epp, "msg")?.text, ...reasons]
    .filter((text) => text !== undefined && text !== "")
    .join(": ");
}

function queueOf(response: XmlElement): MessageQueue | undefined {
  const queue = childOf(response, epp, "msgQ");
  if (queue === undefined) return undefined;
  return {
    count: Number(queue.attributes.count ?? "0"),
    id: queue.attributes.id ?? "",
    queuedAt: childOf(queue, epp, "qDate")?.text,
    text: childOf(queue, epp, "msg")?.text.slice(0, longestMessage),
  };
}

function textsOf(parent: XmlElement, name: string): readonly string[] {
  return childrenOf(parent, epp, name).map(({ text }) => text);
}
