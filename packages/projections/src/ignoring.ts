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
  const names = families.flatMap((family) => Object.keys(family));
  const ignored = Object.fromEntries(names.map((name) => [name, "ignored"]));
  if (hasEvery<NameIn<Families[number]>>(names, ignored)) return ignored;
  throw new Error("a family of events lost a name");
}

function hasEvery<Name extends string>(
  names: readonly string[],
  ignored: object,
): ignored is Readonly<Record<Name, "ignored">> {
  return names.every((name) => Object.hasOwn(ignored, name));
}
