/** Names of the events in any of several families. */
type NameIn<Family> = Family extends unknown ? keyof Family & string : never;

/**
 * Ignores whole families of events, for a read model that needs few events of its streams. An event that joins a family
 * later is ignored too. If every read model must handle an event, take the event out of the family: `const { PlanAdded,
 * ...others } = planEvents`.
 * @param families definitions of events, for example `domainEvents`.
 */
export function ignoring<Families extends readonly object[]>(
  ...families: Families
): Readonly<Record<NameIn<Families[number]>, "ignored">> {
  return handling(() => "ignored", ...families);
}

/** Gives every event of whole families a handler. @param handlerOf returns the handler of an event's name. */
export function handling<Handler, Families extends readonly object[]>(
  handlerOf: (name: string) => Handler,
  ...families: Families
): Readonly<Record<NameIn<Families[number]>, Handler>> {
  const names = families.flatMap((family) => Object.keys(family));
  const handlers = Object.fromEntries(names.map((name) => [name, handlerOf(name)]));
  if (hasEvery<NameIn<Families[number]>, Handler>(names, handlers)) return handlers;
  throw new Error("a family of events lost a name");
}

function hasEvery<Name extends string, Handler>(
  names: readonly string[],
  handlers: Readonly<Record<string, Handler>>,
): handlers is Readonly<Record<Name, Handler>> {
  return names.every((name) => Object.hasOwn(handlers, name));
}
