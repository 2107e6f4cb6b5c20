import type { Leases } from "./leases/index.ts";
import { KeyedMutex, type Timing } from "@hostledger/runtime/async";

/** Pauses between checks of a resource that another process uses, in milliseconds. */
export const leasePauseMs = 100;

/** Requests that wait for one resource at most. */
const waitingLimit = 100;

export interface ResourceHoldsOptions {
  readonly clock: Timing;
  /** Begins the names of leases, as in `domain-change-example.com`. */
  readonly leasePrefix: string;
  /** Decides which process may use a resource. Undefined if there is only one process. */
  readonly leases?: Leases;
}

/** Serialises work on a resource: by a mutex in this process, by a lease among processes. */
export class ResourceHolds {
  readonly #options: ResourceHoldsOptions;
  readonly #mutex: KeyedMutex<string>;
  readonly #stopping: AbortSignal;

  /** @param stopping ends every wait for another process. */
  constructor(options: ResourceHoldsOptions, stopping: AbortSignal) {
    this.#options = options;
    this.#mutex = new KeyedMutex({ waiting: waitingLimit, timing: options.clock });
    this.#stopping = stopping;
  }

  /**
   * Works on a resource, when nobody else does.
   * @param limitMs how long to wait; left out: until all other work here has ended, and not for another process.
   * @param work is given the signal that aborts when another process may have the resource, where there are several.
   * @returns undefined where somebody else has the resource.
   */
  async attempt<Result>(
    resource: string,
    limitMs: number | undefined,
    work: (lost: AbortSignal | undefined) => Promise<Result>,
  ): Promise<Result | undefined> {
    const underLease = () => this.#underLease(resource, limitMs ?? 0, work);
    if (limitMs === undefined) return this.#mutex.run(resource, underLease);
    const release = await this.#mutex.acquire(resource, limitMs);
    if (release === undefined) return undefined;
    try {
      return await underLease();
    } finally {
      release();
    }
  }

  /** Does work on a resource after everything else about it here has ended. */
  exclusively<Result>(resource: string, work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.run(resource, work);
  }

  async #underLease<Result>(
    resource: string,
    limitMs: number,
    work: (lost: AbortSignal | undefined) => Promise<Result>,
  ): Promise<Result | undefined> {
    const { clock, leases, leasePrefix } = this.#options;
    if (leases === undefined) return work(undefined);
    for (let waitedMs = 0; ; waitedMs += leasePauseMs) {
      const lease = await leases.tryAcquire(`${leasePrefix}-${resource}`);
      if (lease !== undefined) {
        try {
          return await work(lease.lost);
        } finally {
          await lease.release();
        }
      }
      if (waitedMs >= limitMs || this.#stopping.aborted) return undefined;
      await clock.sleep(leasePauseMs, this.#stopping);
    }
  }
}
