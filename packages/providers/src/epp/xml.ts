import XMLBuilder from "fast-xml-builder";
import { SaxesParser } from "saxes";

import { prefixes } from "./namespaces.ts";

/** An element, told by its namespace and its local name: prefixes differ from server to server. */
export interface XmlElement {
  /** The namespace's URI; empty for none. */
  readonly namespace: string;
  /** The name without a prefix. */
  readonly name: string;
  /** As they are written; declarations of namespaces are not among them. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Of the element itself, without white space at its ends. */
  readonly text: string;
}

/** What came is no XML that anybody should send, or what is to be sent cannot be XML. */
export class XmlError extends Error {
  override readonly name = "XmlError";
}

/** The deepest message of EPP and its extensions has some ten levels. */
const deepestLevel = 32;

/** A check of many names has some thousand. */
const mostElements = 20_000;

const builder = new XMLBuilder({ preserveOrder: true, ignoreAttributes: false, attributeNamePrefix: "" });

/** Characters that XML cannot carry as they are (XML 1.0 §2.2; a carriage return becomes a line feed, §2.11). */
const forbidden = /[^\t\n\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/**
 * Reads a document. The only entities are XML's own five and characters by number: a document that brings a `DOCTYPE`,
 * where others would be declared, is refused whole.
 *
 * @throws XmlError for what is not well-formed, is too deep or too large, or uses a prefix that nothing declares.
 */
export function parseXml(xml: string): XmlElement {
  const reading = new Reading();
  const parser = new SaxesParser({ xmlns: true, position: false });
  parser.on("error", ({ message }) => refuse(`The XML is not well-formed: ${message.slice(0, 200)}`));
  parser.on("doctype", () => refuse("The XML has a DOCTYPE, which EPP never has."));
  parser.on("opentag", ({ uri, local, attributes }) => {
    const said = Object.values(attributes).filter(({ uri: namespace }) => namespace !== declarations);
    reading.open(uri, local, Object.fromEntries(said.map(({ name, value }) => [name, value])));
  });
  parser.on("text", (text) => {
    reading.add(text);
  });
  parser.on("cdata", (text) => {
    reading.add(text);
  });
  parser.on("closetag", () => {
    reading.close();
  });
  parser.write(xml).close();
  return reading.root ?? refuse("The XML has no root element.");
}

/** The namespace of attributes that declare namespaces. */
const declarations = "http://www.w3.org/2000/xmlns/";

function refuse(message: string): never {
  throw new XmlError(message);
}

/** An element that has begun. */
interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

/** Puts a document together as the parser tells of it. */
class Reading {
  readonly #open: OpenElement[] = [];
  #elements = 0;
  root: XmlElement | undefined;

  open(namespace: string, name: string, attributes: Readonly<Record<string, string>>): void {
    this.#elements += 1;
    if (this.#elements > mostElements)
      refuse(`The XML has more than ${String(mostElements)} elements, which are the most.`);
    if (this.#open.length >= deepestLevel)
      refuse(`The XML has more than ${String(deepestLevel)} levels, which are the most.`);
    this.#open.push({ namespace, name, attributes, children: [], text: "" });
  }

  add(text: string): void {
    const last = this.#open.at(-1);
    if (last !== undefined) last.text += text;
  }

  close(): void {
    const closed = this.#open.pop();
    if (closed === undefined) return;
    closed.text = closed.text.trim();
    const parent = this.#open.at(-1);
    if (parent === undefined) this.root = closed;
    else parent.children.push(closed);
  }
}

/**
 * Makes an element to be written.
 *
 * @param content its text or its children; what is undefined is left out, so that an optional child can be written where it stands.
 */
export function element(
  namespace: string,
  name: string,
  content: string | readonly (XmlElement | undefined)[] = [],
  attributes: Readonly<Record<string, string>> = {},
): XmlElement {
  if (typeof content === "string") return { namespace, name, attributes, children: [], text: content };
  const children = content.filter((child) => child !== undefined);
  return { namespace, name, attributes, children, text: "" };
}

/**
 * Writes a document. A namespace is declared where it begins, under the prefix that the RFCs write.
 *
 * @throws XmlError when a text holds a character that XML cannot carry.
 */
export function buildXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n${builder.build([listed(root, "")])}`;
}

/** What the builder takes for an element (`preserveOrder`). */
type Listed = Readonly<Record<string, string | Readonly<Record<string, string>> | readonly object[]>>;

function listed({ namespace, name, attributes, children, text }: XmlElement, outer: string): Listed {
  if ([text, ...Object.values(attributes)].some((value) => forbidden.test(value)))
    refuse(`The text of ${name} holds a character that XML cannot carry.`);
  const prefix = prefixes.get(namespace);
  const declaration = prefix === undefined ? "xmlns" : `xmlns:${prefix}`;
  return {
    [prefix === undefined ? name : `${prefix}:${name}`]: [
      ...(text === "" ? [] : [{ "#text": text }]),
      ...children.map((child) => listed(child, namespace)),
    ],
    ":@": { ...(namespace === outer ? {} : { [declaration]: namespace }), ...attributes },
  };
}

/** The element's children of this name, in order. */
export function childrenOf(parent: XmlElement, namespace: string, name: string): readonly XmlElement[] {
  return parent.children.filter((child) => child.namespace === namespace && child.name === name);
}

/** The element's first child of this name. */
export function childOf(parent: XmlElement, namespace: string, name: string): XmlElement | undefined {
  return parent.children.find((child) => child.namespace === namespace && child.name === name);
}

/** The descendant at the end of a path of names, all of the same namespace. */
export function descendantOf(
  ancestor: XmlElement,
  namespace: string,
  ...path: readonly string[]
): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>(
    (found, name) => found && childOf(found, namespace, name),
    ancestor,
  );
}
