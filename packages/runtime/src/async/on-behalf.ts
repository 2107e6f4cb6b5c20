import { AsyncLocalStorage } from "node:async_hooks";

const owners = new AsyncLocalStorage<string>();

/**
 * Does work on behalf of an owner, such as `account:7`. Owners take turns at semaphores, so that the many calls of one
 * owner keep no other owner waiting.
 */
export function onBehalfOf<Result>(owner: string, work: () => Result): Result {
  return owners.run(owner, work);
}

/** Returns the owner of the present work; undefined if it has none. */
export function presentOwner(): string | undefined {
  return owners.getStore();
}
