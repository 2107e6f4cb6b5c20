/**
 * Marks whole families of events as ignored, for a read model that hears a few facts in streams of which most say nothing
 * to it. It names families, not events: an event that joins one later is ignored too. Where that would be wrong, name the
 * events one by one.
 *
 * @param families the version histories of the events, for example `domainVersions`.
 */
export function ignoring<Type extends string>(
  ...families: readonly Readonly<Partial<Record<Type, unknown>>>[]
): Readonly<Record<Type, "ignored">> {
  const names = families.flatMap((family) => Object.keys(family));
  const ignored = Object.fromEntries(names.map((name) => [name, "ignored"]));
  if (hasEvery<Type>(names, ignored)) return ignored;
  throw new Error("a family of events lost a name");
}

function hasEvery<Type extends string>(
  names: readonly string[],
  ignored: object,
): ignored is Readonly<Record<Type, "ignored">> {
  return names.every((name) => Object.hasOwn(ignored, name));
}
