import { childOf, childrenOf, element, type XmlElement } from "./xml.ts";

/** Refuses malformed content with a result code (RFC 5730 §3). */
export type Refuse = (code: 2001 | 2003 | 2004 | 2005 | 2306, reason: string) => never;

/** What a shape writes: a part of an element. */
type Content = Partial<Pick<XmlElement, "attributes" | "children" | "text">>;

/**
 * Content of an element, or a part of it, in both directions. With `refuse`, reading is strict, as a server's must be.
 * Without, it takes what registries answer: missing texts are empty, and forms and limits are not checked.
 */
export interface Shape<T> {
  read(element: XmlElement, refuse?: Refuse): T;
  /** @param namespace of the element and its children */
  write(value: T, namespace: string): Content;
}

/** Type of the values of a shape or row. */
export type ValueOf<S> = S extends { read(element: XmlElement, refuse?: Refuse): infer T } ? T : never;

/** A shape with the name of its element. */
export interface Row<T> {
  readonly read: (element: XmlElement, refuse?: Refuse) => T;
  readonly write: (value: T) => XmlElement;
}

function built<T>(namespace: string, name: string, shape: Shape<T>, value: T): XmlElement {
  return { namespace, name, attributes: {}, children: [], text: "", ...shape.write(value, namespace) };
}

/** Text of an element. @param what description of the form, for the refusal */
export function text(form?: RegExp, what = ""): Shape<string> {
  return {
    read(given, refuse) {
      if (form?.test(given.text) === false) refuse?.(2005, `<${given.name}> must be ${what}.`);
      return given.text;
    },
    write: (value) => ({ text: value }),
  };
}

/** Converts what another shape reads; the value is written as it is. */
export function converted<T>(shape: Shape<T>, convert: (value: T) => T): Shape<T> {
  return { ...shape, read: (given, refuse) => convert(shape.read(given, refuse)) };
}

/** A whole number. */
export function integer(most: number): Shape<number> {
  const digits = text(/^\d{1,5}$/, "a number");
  return {
    read(given, refuse) {
      const number = Number(digits.read(given, refuse));
      if (number > most) refuse?.(2004, `<${given.name}> may be ${String(most)} at most.`);
      return number;
    },
    write: (value) => ({ text: String(value) }),
  };
}

/** All children, whatever they are. */
export const anything: Shape<readonly XmlElement[]> = {
  read: ({ children }) => children,
  write: (children) => ({ children }),
};

export function attribute(name: string): Shape<string | undefined> {
  return {
    read: ({ attributes }) => attributes[name],
    write: (value) => (value === undefined ? {} : { attributes: { [name]: value } }),
  };
}

/** An attribute with one of some values; undefined for others. */
export function choice<const T extends string>(name: string, values: readonly T[]): Shape<T | undefined> {
  return {
    ...attribute(name),
    read(given, refuse) {
      const value = values.find((known) => known === given.attributes[name]);
      if (value === undefined)
        refuse?.(2001, `The ${name} of <${given.name}> must be one of ${values.join(", ")}.`);
      return value;
    },
  };
}

/** A Boolean attribute. */
export function flag(name: string): Shape<boolean | undefined> {
  const values = choice(name, ["1", "true", "0", "false"]);
  return {
    read(given, refuse) {
      const value = values.read(given, refuse);
      return value === undefined ? undefined : value === "1" || value === "true";
    },
    write: (value) => values.write(value === undefined ? undefined : value ? "1" : "0", ""),
  };
}

/** A mandatory child. @param namespace default: that of its parent */
export function one<T>(name: string, shape: Shape<T>, namespace?: string): Shape<T> {
  return {
    read(parent, refuse) {
      const child = childOf(parent, namespace ?? parent.namespace, name);
      if (child === undefined) refuse?.(2003, `<${parent.name}> lacks <${name}>.`);
      return shape.read(child ?? element(parent.namespace, name), refuse);
    },
    write: (value, outer) => ({ children: [built(namespace ?? outer, name, shape, value)] }),
  };
}

/** An optional child. */
export function maybe<T>(name: string, shape: Shape<T>): Shape<T | undefined> {
  return {
    read(parent, refuse) {
      const child = childOf(parent, parent.namespace, name);
      return child && shape.read(child, refuse);
    },
    write: (value, namespace) =>
      value === undefined ? {} : { children: [built(namespace, name, shape, value)] },
  };
}

/** An optional child with text; an empty one counts as absent. */
export function filled(name: string, shape: Shape<string>): Shape<string | undefined> {
  const present = maybe(name, shape);
  return {
    ...present,
    read: (parent, refuse) =>
      childOf(parent, parent.namespace, name)?.text === "" ? undefined : present.read(parent, refuse),
  };
}

/** Children of one name. @param limits default: none up to 100 */
export function many<T>(
  name: string,
  shape: Shape<T>,
  { least = 0, most = 100 }: { readonly least?: number; readonly most?: number } = {},
): Shape<readonly T[]> {
  return {
    read(parent, refuse) {
      const children = childrenOf(parent, parent.namespace, name);
      if (children.length < least) refuse?.(2003, `<${parent.name}> lacks <${name}>.`);
      if (children.length > most) refuse?.(2306, `There may be ${String(most)} <${name}> at most.`);
      return children.map((child) => shape.read(child, refuse));
    },
    write: (values, namespace) => ({
      children: values.map((value) => built(namespace, name, shape, value)),
    }),
  };
}

type Parts = Readonly<Record<string, Shape<unknown>>>;
type Optional<P extends Parts> = {
  [K in keyof P]: undefined extends ValueOf<P[K]> ? K : never;
}[keyof P];
type Struct<P extends Parts> = {
  readonly [K in Exclude<keyof P, Optional<P>>]: ValueOf<P[K]>;
} & { readonly [K in Optional<P>]?: ValueOf<P[K]> };

/** The parts of one element, in the order of its schema. */
export function struct<P extends Parts>(parts: P): Shape<Struct<P>> {
  const all = Object.entries(parts);
  return {
    read: (given, refuse) =>
      Object.fromEntries(all.map(([key, part]) => [key, part.read(given, refuse)])) as Struct<P>,
    write: (value, namespace) =>
      joined(
        all.map(([key, part]) => part.write((value as Readonly<Record<string, unknown>>)[key], namespace)),
      ),
  };
}

function joined(parts: readonly Content[]): Content {
  return {
    attributes: Object.assign({}, ...parts.map(({ attributes }) => attributes)) as XmlElement["attributes"],
    children: parts.flatMap(({ children = [] }) => children),
    text: parts.map((part) => part.text ?? "").join(""),
  };
}

/** The elements of one namespace, by name, with their parts. */
export function elementTable<T extends Readonly<Record<string, Parts>>>(
  namespace: string,
  table: T,
): { readonly [K in keyof T]: Row<Struct<T[K]>> } {
  const rows = Object.entries(table).map(([name, parts]) => [name, row(namespace, name, struct(parts))]);
  return Object.fromEntries(rows) as { readonly [K in keyof T]: Row<Struct<T[K]>> };
}

export function row<T>(namespace: string, name: string, shape: Shape<T>): Row<T> {
  return {
    read: (given, refuse) => shape.read(given, refuse),
    write: (value) => built(namespace, name, shape, value),
  };
}

/** The parts of two shapes, as one value. */
export function both<A extends object, B extends object>(first: Shape<A>, second: Shape<B>): Shape<A & B> {
  return {
    read: (given, refuse) => ({ ...first.read(given, refuse), ...second.read(given, refuse) }),
    write: (value, namespace) => joined([first.write(value, namespace), second.write(value, namespace)]),
  };
}
