import XMLBuilder from "fast-xml-builder";
import { SaxesParser } from "saxes";

import { prefixes } from "./namespaces.ts";

/** An element, identified by namespace and local name, because prefixes vary. */
export interface XmlElement {
  /** URI of the namespace; empty for none. */
  readonly namespace: string;
  /** Local name. */
  readonly name: string;
  /** Attributes as written, without namespace declarations. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Text of the element itself, trimmed. */
  readonly text: string;
}

/** Thrown for malformed input, or output that XML cannot represent. */
export class XmlError extends Error {
  override readonly name = "XmlError";
}

/** Maximum depth; EPP and its extensions use about ten levels. */
const deepestLevel = 32;

/** Maximum elements; a check of many names has some thousand. */
const mostElements = 20_000;

const builder = new XMLBuilder({ preserveOrder: true, ignoreAttributes: false, attributeNamePrefix: "" });

/** Characters that XML cannot contain literally (XML 1.0 §2.2; carriage returns become line feeds, §2.11). */
const forbidden = /[^\t\n\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/**
 * Parses a document. Only XML's five entities and numeric characters are known; a document with a `DOCTYPE`, which
 * could declare others, is refused.
 *
 * @throws XmlError if malformed, too deep, too large, or with an undeclared prefix.
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

/** Namespace of attributes that declare namespaces. */
const declarations = "http://www.w3.org/2000/xmlns/";

function refuse(message: string): never {
  throw new XmlError(message);
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

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

/** Creates an element. @param content text or children; undefined children are omitted */
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

/** Serialises a document, with namespaces declared at their first element. @throws XmlError */
export function buildXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n${builder.build([listed(root, "")])}`;
}

type Listed = Readonly<Record<string, string | Readonly<Record<string, string>> | readonly object[]>>;

function listed({ namespace, name, attributes, children, text }: XmlElement, outer: string): Listed {
  if ([text, ...Object.values(attributes)].some((value) => forbidden.test(value)))
    refuse(`The text of ${name} contains a character that XML does not allow.`);
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

export function childrenOf(parent: XmlElement, namespace: string, name: string): readonly XmlElement[] {
  return parent.children.filter((child) => child.namespace === namespace && child.name === name);
}

export function childOf(parent: XmlElement, namespace: string, name: string): XmlElement | undefined {
  return parent.children.find((child) => child.namespace === namespace && child.name === name);
}

/** Returns the descendant at a path of names in one namespace. */
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
