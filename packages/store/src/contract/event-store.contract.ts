import { afterEach, describe } from "vitest";

import { describeAppending } from "./appending.contract.ts";
import type { ContractHarness, MakeHarness } from "./contract-fixtures.ts";
import { describeIdempotency } from "./idempotency.contract.ts";
import { describeReading } from "./reading.contract.ts";
import { describeSubscribing } from "./subscribing.contract.ts";

export type { ContractHarness, MakeHarness } from "./contract-fixtures.ts";

/** Tests the behaviour of every engine of the event store port; call it in a spec of the engine. */
export function describeEventStoreContract(name: string, make: MakeHarness): void {
  describe(`event store contract: ${name}`, () => {
    const open: ContractHarness[] = [];
    const harness = async (): Promise<ContractHarness> => {
      const made = await make();
      open.push(made);
      return made;
    };
    afterEach(async () => {
      for (const made of open.splice(0)) await made.close();
    });
    describeAppending(harness);
    describeIdempotency(harness);
    describeReading(harness);
    describeSubscribing(harness);
  });
}
