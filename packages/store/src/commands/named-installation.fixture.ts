import type { Installation } from "./installation.ts";

/** Makes an installation that already has its random text. */
export function namedInstallation(part = "k3x7m2"): Installation {
  const named = () => Promise.resolve({ part, knowsPlainIds: false, isCopy: false });
  return { named, current: named };
}
