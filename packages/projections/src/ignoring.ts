/** The names of the events in any of some families. */
type NameIn<Family> = Family extends unknown ? keyof Family & string : never;

/**
 * Marks whole families of events as ignored, for a read model that hears a few facts in streams of which most say nothing
 * to it. It names families, not events: an event that joins one later is ignored too. Where that would be wrong, take the
 * event out of the family, so that every read model has to name it: `const { PlanAdded, ...others } = planEvents`.
 *
 * @param families definitions of events, for example `domainEvents`.
 */
export function ignoring<Families extends readonly object[]>(
  ...families: Families
): Readonly<Record<NameIn<Families[number]>, "ignored">> {
  return handling(() => "ignored", ...families);
}

/**
 * Gives every event of whole families what handles it, for a read model to which their names tell what to do.
 * @param handlerOf by an event's name.
 */
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
