import { unlessUnreadable } from "@hostledger/store";
import type { BackoffLimits } from "@hostledger/runtime/async";

import type { RunContext } from "./process-definition.ts";

/** What somebody is after: a change of a domain, the delivery of one, the state of a server's node. */
export interface Pursued {
  /** Names it among everything that this reconciler pursues. */
  readonly id: string;
  /** What it is about: of one resource, one thing is done at a time. */
  readonly resource: string;
}

/** One attempt to bring about what is wanted. */
export interface Attempt {
  /** Which one it is, from 1. */
  readonly number: number;
  /** An earlier call may have reached the provider: a refusal of this one does not say that nothing was done. */
  readonly isUncertain: boolean;
  /** For whom. */
  readonly context: RunContext;
}

/** How an attempt ended. */
export type AttemptEnd<Reason> =
  /** The facts say now what came of it. Where they want something else next, that is done at once. */
  | { readonly kind: "recorded" }
  /** Everything outside is as the facts say. */
  | { readonly kind: "agreed" }
  /** It is not so, or nobody knows whether it is: it is tried again. */
  | { readonly kind: "open"; readonly reason: Reason };

/** How a kind of resource is made to be as its facts say. */
export interface Effects<Wanted, Reason> {
  /**
   * What the facts want next and nobody has done yet; undefined where there is nothing.
   * @param maxAgeMs facts as they were so many milliseconds ago at most.
   */
  wanted(pursued: Pursued, maxAgeMs: number): Promise<Wanted | undefined>;
  /** Names what is wanted: attempts are counted for each anew. */
  nameOf(wanted: Wanted): string;
  /**
   * Tries once, and records what comes of it. Every call says what shall be so and may be made again; whoever does not
   * answer is asked. A throw counts as an attempt.
   */
  attempt(pursued: Pursued, wanted: Wanted, attempt: Attempt): Promise<AttemptEnd<Reason>>;
  /** Attempts after which whoever waits is told that it is not so yet; it goes on all the same. */
  attemptsInSight(wanted: Wanted): number;
  /** Has staff look at what was tried many times in vain; the same has one ticket. It is tried on. */
  tellStaff?(pursued: Pursued, wanted: Wanted, reason: Reason): Promise<void>;
  /** @param wanted undefined where the facts could not be read. */
  backoffOf(wanted: Wanted | undefined): BackoffLimits;
}

/** Something that was left unfinished, as a read model tells of it. */
export interface Orphan extends Pursued {
  /** ISO 8601 UTC. */
  readonly since: string;
  /** For whom it began; undefined when the facts do not know of it. */
  contextOf(): Promise<RunContext | undefined>;
}

/** For whom something unfinished began. A resource whose events cannot be read is left, so that it keeps no other one waiting. */
export function contextOfOrphan(
  orphan: Orphan,
  logger: { error(fields: object, message: string): void },
): Promise<RunContext | undefined> {
  const { id, resource } = orphan;
  return unlessUnreadable(
    () => orphan.contextOf(),
    (error) => {
      logger.error({ resource, id, error }, "work is held up by an event that cannot be read");
      return undefined;
    },
  );
}
