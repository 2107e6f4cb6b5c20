import type { Leases } from "./leases/index.ts";
import { KeyedMutex, type Release, type Timing } from "@hostledger/runtime/async";

/** A resource that is ours to work on. */
export interface Hold {
  /** Aborts when another process may have the resource from now on. */
  readonly lost: AbortSignal | undefined;
  readonly release: Release;
}

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

  /** @param stopping ends every wait. */
  constructor(options: ResourceHoldsOptions, stopping: AbortSignal) {
    this.#options = options;
    this.#mutex = new KeyedMutex({ waiting: waitingLimit, timing: options.clock });
    this.#stopping = stopping;
  }

  /** False while this process has as many leases as may be: ask before anything is promised. */
  get hasRoom(): boolean {
    return this.#options.leases?.hasRoom ?? true;
  }

  /**
   * Takes a resource for oneself: in this process first, then among processes.
   * @param limitMs how long to wait for it; 0 takes it only where nobody has it.
   */
  async acquire(resource: string, limitMs: number): Promise<Hold | undefined> {
    const { clock, leases, leasePrefix } = this.#options;
    const release = await this.#mutex.acquire(resource, limitMs);
    if (release === undefined || leases === undefined)
      return release === undefined ? undefined : { lost: undefined, release };
    try {
      for (let waitedMs = 0; ; waitedMs += leasePauseMs) {
        const lease = await leases.tryAcquire(`${leasePrefix}-${resource}`);
        if (lease !== undefined) {
          return {
            lost: lease.lost,
            release() {
              void lease.release();
              release();
            },
          };
        }
        if (waitedMs >= limitMs || this.#stopping.aborted) break;
        await clock.sleep(leasePauseMs, this.#stopping);
      }
    } catch (error) {
      release();
      throw error;
    }
    release();
    return undefined;
  }

  /** Works on a resource after everything else about it here has ended. @returns `busy` where another process has it. */
  attempt<Result>(
    resource: string,
    work: (lost: AbortSignal | undefined) => Promise<Result>,
    busy: Result,
  ): Promise<Result> {
    const { leases, leasePrefix } = this.#options;
    return this.#mutex.run(resource, async () => {
      if (leases === undefined) return work(undefined);
      const lease = await leases.tryAcquire(`${leasePrefix}-${resource}`);
      if (lease === undefined) return busy;
      try {
        return await work(lease.lost);
      } finally {
        await lease.release();
      }
    });
  }

  /** Does work on a resource after everything else about it here has ended. */
  exclusively<Result>(resource: string, work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.run(resource, work);
  }
}
