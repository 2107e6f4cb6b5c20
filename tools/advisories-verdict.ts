/** State of the registry about the lockfile's packages at an instant. */
export interface Snapshot {
  /** ISO 8601 UTC. */
  readonly fetchedAt: string;
  /** SHA-256 of the lockfile that was asked about, in hex. */
  readonly lockfile: string;
  readonly advisories: Readonly<
    Record<
      string,
      { readonly module: string; readonly severity: string; readonly title: string; readonly url: string }
    >
  >;
  /** Advisories, by id, that do not concern this program, each with the reason. */
  readonly accepted: Readonly<Record<string, string>>;
}

/** Maximum age of a snapshot, in days. */
export const snapshotDays = 30;

const dayMs = 86_400_000;
const howToFetch =
  "Run `pnpm run advisories --fetch` where the npm registry's audit endpoint can be reached.";

/** A sentence for each thing that is wrong; none when no advisory is open. */
export function verdictOn(
  snapshot: Snapshot | undefined,
  { lockfile, now }: { readonly lockfile: string; readonly now: Date },
): readonly string[] {
  if (snapshot === undefined) return [`There is no snapshot of advisories. ${howToFetch}`];
  const faults: string[] = [];
  const days = (now.getTime() - Date.parse(snapshot.fetchedAt)) / dayMs;
  if (!(days >= 0 && days <= snapshotDays))
    faults.push(
      `The snapshot of advisories is of ${snapshot.fetchedAt}: it counts for ${String(snapshotDays)} days. ${howToFetch}`,
    );
  if (snapshot.lockfile !== lockfile)
    faults.push(`The snapshot of advisories is about another lockfile. ${howToFetch}`);
  for (const [id, { module, severity, title, url }] of Object.entries(snapshot.advisories)) {
    if (snapshot.accepted[id] === undefined) faults.push(`${module}: ${title} (${severity}, ${url})`);
  }
  return faults;
}
