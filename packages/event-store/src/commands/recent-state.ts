import type { Loaded } from "./command-handler.port.ts";

/**
 * How old a state may be, in milliseconds, of which an append proves later that it still holds, or which changes so seldom that
 * a moment does not matter.
 */
export const recentMs = 1_000;

/** The age of a state that was stored at some time, of which an append proves later that it still holds. */
export const anyAgeMs = Infinity;

/**
 * Why something is refused, if it is: by a recent state, and once more by the stored one before anybody is told. A refusal
 * never rests on what another process has changed since; what is let pass does, for a moment.
 *
 * @param load the state, of so many milliseconds ago at most.
 * @param maxAgeMs how old the first may be.
 */
export async function lastingRefusal<State, Refusal>(
  load: (maxAgeMs: number) => Promise<Pick<Loaded<State>, "state">>,
  refusalOf: (state: State) => Refusal | undefined,
  maxAgeMs = recentMs,
): Promise<Refusal | undefined> {
  const { state } = await load(maxAgeMs);
  return refusalOf(state) === undefined ? undefined : refusalOf((await load(0)).state);
}
