import type { Leases } from "./leases/index.ts";
import { KeyedMutex, type Timing } from "@hostledger/runtime/async";

/** Pauses between looks at a resource that another process has, in milliseconds. */
export const leasePauseMs = 100;

/** Requests that wait for one resource at most. */
const waitingLimit = 100;

/** What holds are made of. */
export interface ResourceHoldsOptions {
  readonly clock: Timing;
  /** Begins the names of leases, as in `domain-change-example.com`. */
  readonly leasePrefix: string;
  /** Says which of several processes has a resource. Left out where there is one. */
  readonly leases?: Leases;
}

/** Lets one at a time work on a resource: in this process by a mutex, among processes by a lease. */
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
