import type { Loaded } from "./command-handler.port.ts";

/** Accepted age of a state in milliseconds, for a state that a later append confirms or that changes rarely. */
export const recentMs = 1_000;

/** Any age, for a state that a later append confirms. */
export const anyAgeMs = Infinity;

/**
 * Returns the refusal that both a recent state and the stored state give; undefined if either allows the action. A
 * refusal is thus never based on an outdated state, but an approval may be, for a moment.
 * @param load returns the state of at most the given age in milliseconds.
 * @param maxAgeMs accepted age of the first state.
 */
export async function lastingRefusal<State, Refusal>(
  load: (maxAgeMs: number) => Promise<Pick<Loaded<State>, "state">>,
  refusalOf: (state: State) => Refusal | undefined,
  maxAgeMs = recentMs,
): Promise<Refusal | undefined> {
  const { state } = await load(maxAgeMs);
  return refusalOf(state) === undefined ? undefined : refusalOf((await load(0)).state);
}
