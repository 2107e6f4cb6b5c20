import type { Accounts, EventStore } from "@hostledger/store";
import type { Compute, Outcome } from "@hostledger/providers";

import type { InstanceOptions } from "./server-service.fixture.ts";

const never = new Promise<never>(() => undefined);

/**
 * Ends an instance at a chosen moment like a power cut: from then on none of its calls reaches the store or a provider,
 * and it gets no answers. Moments are before and after each append, each call of the compute provider and each call of
 * the account service, counted from `arm`.
 */
export class Crash {
  readonly moments: string[] = [];
  readonly died = Promise.withResolvers<undefined>();
  readonly #at: number;
  #armed = false;
  #dead = false;

  /** @param at number of the moment, from 1; 0 for none. */
  constructor(at: number) {
    this.#at = at;
  }

  arm(): void {
    this.#armed = true;
  }

  async #pass(moment: string): Promise<void> {
    if (this.#armed && !this.#dead) {
      this.moments.push(moment);
      if (this.moments.length === this.#at) {
        this.#dead = true;
        this.died.resolve(undefined);
      }
    }
    if (this.#dead) await never;
  }

  readonly #store = (store: EventStore): EventStore => ({
    append: async (stream, expected, events) => {
      const types = events.map(({ type }) => type.replace(/\.v\d+$/, "")).join(", ");
      await this.#pass(`before append ${types}`);
      const stored = await store.append(stream, expected, events);
      await this.#pass(`after append ${types}`);
      return stored;
    },
    read: (stream, options) => store.read(stream, options),
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  });

  readonly #compute = (compute: Compute): Compute => {
    const watched = async <T>(call: string, make: () => Promise<Outcome<T>>): Promise<Outcome<T>> => {
      await this.#pass(`before ${call}`);
      const answer = await make();
      await this.#pass(`after ${call}`);
      return answer;
    };
    return {
      provision: (order) => watched("provision", () => compute.provision(order)),
      inquire: (name) => watched("inquire", () => compute.inquire(name)),
      destroy: (name) => watched("destroy", () => compute.destroy(name)),
      suspend: (name) => watched("suspend", () => compute.suspend(name)),
      resume: (name) => watched("resume", () => compute.resume(name)),
      replaceFirewall: (name, firewall) =>
        watched("replaceFirewall", () => compute.replaceFirewall(name, firewall)),
      readFirewall: (name) => watched("readFirewall", () => compute.readFirewall(name)),
    };
  };

  readonly #accounting = (accounts: Accounts): Accounts => {
    const watched = async <T>(call: string, make: () => Promise<T>): Promise<T> => {
      await this.#pass(`before ${call}`);
      const answer = await make();
      await this.#pass(`after ${call}`);
      return answer;
    };
    return {
      find: (...asked) => watched("find", () => accounts.find(...asked)),
      quote: (...asked) => watched("find", () => accounts.quote(...asked)),
      requireDocumentKey: (...asked) => accounts.requireDocumentKey(...asked),
      charge: (...asked) => watched("charge", () => accounts.charge(...asked)),
      refund: (...asked) => watched("refund", () => accounts.refund(...asked)),
    };
  };

  get options(): InstanceOptions & { readonly dies: true } {
    return { store: this.#store, compute: this.#compute, accounting: this.#accounting, dies: true };
  }
}
