import { lookup } from "node:dns/promises";

import type { Timing } from "@hostledger/runtime";
import { createLru, Semaphore } from "@hostledger/runtime/async";

/** All addresses of a host. @throws where there is none */
export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>;

/** Looks up the names of hosts, a few at a time. */
export interface NameLookUps {
  /** For whoever is about to send something there. */
  readonly toSend: Resolve;
  /** For whoever asks about a name that nothing may ever be sent to. */
  readonly toAsk: Resolve;
}

/** The machine's resolver takes a thread of those that files are read by, too, for as long as it waits for an answer. */
const atOnce = { permits: 2, waiting: 100 };

/** So that a name which is answered at once always finds room beside those that are not. */
const slowAtOnce = { permits: 1, waiting: 100 };

/** Of names that are asked about, so that these have no more than their turn among the slow ones. */
const askedAtOnce = { permits: 1, waiting: 100 };

/** A name that took longer the last time is a slow one, in milliseconds. */
const slowMs = 1_000;

/** Slow names that are known again. */
const rememberedNames = 10_000;

/**
 * Creates the look-ups. Customers name the hosts: one that nobody answers for keeps the resolver for many seconds. Those, and names
 * that are only asked about, wait for each other and for nobody else.
 * @param resolve default: the machine's own resolver.
 */
export function createNameLookUps(
  timing: Timing,
  resolve: Resolve = (host) => lookup(host, { all: true }),
): NameLookUps {
  const all = new Semaphore(atOnce);
  const slow = new Semaphore(slowAtOnce);
  const asked = new Semaphore(askedAtOnce);
  const slowNames = createLru<string, true>(rememberedNames);

  const look: Resolve = (host) =>
    all.run(async () => {
      const beganMs = timing.monotonicMilliseconds();
      try {
        return await resolve(host);
      } finally {
        if (timing.monotonicMilliseconds() - beganMs > slowMs) slowNames.set(host, true);
        else slowNames.delete(host);
      }
    });
  return {
    toSend: (host) => (slowNames.has(host) ? slow.run(() => look(host)) : look(host)),
    toAsk: (host) => asked.run(() => slow.run(() => look(host))),
  };
}
