import type { EventStore } from "@hostledger/store";
import { unknown, type Outcome, type Registrar } from "@hostledger/providers";
import { type AccountsFixture } from "@hostledger/store/testing";
import { type ManualClock, manualClock } from "@hostledger/runtime";
import { virtualClock, type VirtualClock } from "@hostledger/runtime/testing";

import { openDomainService, type DomainServiceFixture } from "../domain-service.fixture.ts";

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Kills a process at a chance moment: before or after an append, a call of the registrar or a charge. From that moment
 * on nothing that the process does has an effect, and nobody answers it any more.
 */
export class Fuse {
  readonly death: Promise<undefined>;
  #die: () => void = () => undefined;
  #dead = false;
  #left = Number.POSITIVE_INFINITY;

  constructor() {
    this.death = new Promise((resolve) => {
      this.#die = () => {
        resolve(undefined);
      };
    });
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** The process dies after so many more moments. */
  light(moments: number): void {
    this.#left = moments;
  }

  /** Passes one crash point. @throws Error when the process is dead, or dies now. */
  pass(): void {
    if (this.#dead) throw new Error("the process is dead");
    this.#left -= 1;
    if (this.#left >= 0) return;
    this.#dead = true;
    this.#die();
    throw new Error("the process dies");
  }

  store(store: EventStore): EventStore {
    return {
      append: async (stream, expected, events) => {
        this.pass();
        const stored = await store.append(stream, expected, events);
        this.pass();
        return stored;
      },
      read: (stream, options) => store.read(stream, options),
      subscribe: (options) => store.subscribe(options),
      lastPosition: () => store.lastPosition(),
      close: () => store.close(),
    };
  }

  registrar(registrar: Registrar): Registrar {
    const mortal = async <Answer>(call: () => Promise<Answer>): Promise<Answer | Outcome<never>> => {
      try {
        this.pass();
        const answer = await call();
        this.pass();
        return answer;
      } catch {
        return unknown("the process is dead");
      }
    };
    return {
      name: registrar.name,
      check: (name, order) => mortal(() => registrar.check(name, order)),
      register: (order) => mortal(() => registrar.register(order)),
      renew: (order) => mortal(() => registrar.renew(order)),
      restore: (order) => mortal(() => registrar.restore(order)),
      inquire: (name) => mortal(() => registrar.inquire(name)),
      updateNameservers: (...delegation) => mortal(() => registrar.updateNameservers(...delegation)),
      updateSettings: (name, settings) => mortal(() => registrar.updateSettings(name, settings)),
      authCode: (name) => mortal(() => registrar.authCode(name)),
      cancel: (name) => mortal(() => registrar.cancel(name)),
      transferIn: (order) => mortal(() => registrar.transferIn(order)),
      inquireTransfer: (name) => mortal(() => registrar.inquireTransfer(name)),
      years: registrar.years,
      needsRegistrant: (name) => registrar.needsRegistrant(name),
      cancelTransfer: (name) => mortal(() => registrar.cancelTransfer(name)),
    };
  }

  /** Wraps accounts, so that a dead process can neither charge nor read them. */
  guard(accounts: AccountsFixture): void {
    accounts.beforeCharge = () => {
      this.pass();
    };
    accounts.afterCharge = () => {
      this.pass();
    };
    accounts.beforeRefund = () => {
      this.pass();
    };
  }
}

/** A domain service that can be killed and started again, over the same events, parties and accounts. */
export class MortalService {
  /** Stands still within a day; waits use virtual time of their own. */
  readonly clock: ManualClock;
  readonly #waits: VirtualClock;
  deaths = 0;
  #fuse: Fuse;
  #fixture: DomainServiceFixture;

  private constructor({ clock, waits }: MortalTime, fuse: Fuse, fixture: DomainServiceFixture) {
    this.clock = clock;
    this.#waits = waits;
    this.#fuse = fuse;
    this.#fixture = fixture;
    fuse.guard(fixture.accounts);
  }

  static async open(start: string): Promise<MortalService> {
    const waits = virtualClock(start);
    const time = { waits, clock: manualClock(start, waits) };
    const fuse = new Fuse();
    return new MortalService(time, fuse, await openDomainService(partsOf(time, fuse)));
  }

  get fixture(): DomainServiceFixture {
    return this.#fixture;
  }

  /** Does what is due today. If a number of crash points is given, the process dies there and another one continues. */
  async live(moments?: number): Promise<void> {
    if (moments !== undefined) this.#fuse.light(moments);
    const work = await Promise.race([this.#fixture.runDueWork(), this.#fuse.death]);
    if (this.#fuse.dead) {
      await this.#restart();
      await this.#fixture.settled();
      await this.#fixture.runDueWork();
    }
    this.#fuse.light(Number.POSITIVE_INFINITY);
    if (work === undefined || Object.values(work).some((count) => count > 0)) await this.#fixture.settled();
  }

  close(): Promise<void> {
    return this.#fixture.close();
  }

  async #restart(): Promise<void> {
    this.deaths += 1;
    this.#fuse = new Fuse();
    const { accounts } = this.#fixture;
    // The dead process is swept away before anybody lives on.
    const starting = this.#fixture.restart(partsOf({ clock: this.clock, waits: this.#waits }, this.#fuse));
    this.#fixture = await starting;
    this.#fuse.guard(accounts);
  }
}

interface MortalTime {
  readonly clock: ManualClock;
  readonly waits: VirtualClock;
}

function partsOf({ clock, waits }: MortalTime, fuse: Fuse) {
  return {
    clock,
    busyWhile: waits.busyWhile,
    // A dead process writes nothing down.
    isTimeTrusted: () => !fuse.dead,
    store: (store: EventStore) => fuse.store(store),
    registrar: (registrar: Registrar) => fuse.registrar(registrar),
  };
}
