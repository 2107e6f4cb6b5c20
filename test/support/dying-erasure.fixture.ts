import type { EventStore } from "@hostledger/store";

import { startInstance } from "./instance.ts";

/**
 * Starts an instance that erases an account and dies, as in a power cut, after the event is stored and before an
 * answer: `dying-erasure.fixture.ts DATA ACCOUNT`.
 */
const [data = "", accountId = "0"] = process.argv.slice(2);
const isErasure = ({ type }: { readonly type: string }): boolean => type.startsWith("PersonalDataErased.");

function dying(store: EventStore): EventStore {
  return {
    append: async (stream, expected, events) => {
      const stored = await store.append(stream, expected, events);
      // The signal ends all threads before the call returns.
      if (events.some(isErasure)) process.kill(process.pid, "SIGKILL");
      return stored;
    },
    read: (stream, options) => store.read(stream, options),
    async *subscribe(options) {
      for await (const batch of store.subscribe(options)) {
        if (batch.events.some(isErasure)) await new Promise(() => undefined);
        yield batch;
      }
    },
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}

const instance = await startInstance({ data, decorate: { store: dying } });
await instance.staff.accounts.eraseAccount({ accountId: BigInt(accountId), force: true });
