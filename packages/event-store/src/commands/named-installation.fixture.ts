import type { Installation } from "./installation.ts";

/** An installation that has its random part already. */
export function namedInstallation(part = "k3x7m2"): Installation {
  const named = () => Promise.resolve({ part, knowsPlainIds: false, isCopy: false });
  return { named, current: named };
}
