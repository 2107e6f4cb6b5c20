import { asLine } from "@hostledger/core";

import { namespaces } from "./namespaces.ts";
import { childOf, childrenOf, descendantOf, XmlError, type XmlElement } from "./xml.ts";

const { epp } = namespaces;

/** What a server offers (RFC 5730 §2.4). */
export interface Greeting {
  readonly serverId: string;
  readonly versions: readonly string[];
  readonly languages: readonly string[];
  /** URIs of objects. */
  readonly objects: readonly string[];
  /** URIs of extensions. */
  readonly extensions: readonly string[];
}

/** What a server answered (RFC 5730 §2.6). */
export interface Response {
  /** Of the first result; RFC 5730 §3. */
  readonly code: number;
  /** What the server says of it and of its other results, for people: one line. */
  readonly message: string;
  readonly clientTransactionId: string | undefined;
  /** What the answer is about: `<domain:infData>`, for example. */
  readonly data: XmlElement | undefined;
  readonly extensions: readonly XmlElement[];
  readonly messages: MessageQueue | undefined;
}

/** What waits for the client to be read (RFC 5730 §2.9.2.3). */
export interface MessageQueue {
  readonly count: number;
  readonly id: string;
  /** Of the message that was asked for; ISO 8601. */
  readonly queuedAt: string | undefined;
  readonly text: string | undefined;
}

/** People read it; a server may say whatever it likes. */
const longestMessage = 300;

/** Reads a greeting. @throws XmlError when it is none */
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

/**
 * Reads a response. @throws XmlError when it is none
 * @param hide leaves out of the server's words what nobody may read, before they are cut.
 */
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

/** The values that a server repeats are left out: a secret may be among them. */
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
