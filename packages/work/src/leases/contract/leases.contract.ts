import { describe, expect, it, onTestFinished } from "vitest";

import type { Lease, Leases } from "../leases.port.ts";

/** Opens another holder of the same leases. `names` of a spec are its own. @param heldLimit leases that it may hold, where that counts. */
export type MakeHolder = (heldLimit?: number) => Promise<Leases>;

/**
 * Describes the contract of every lease engine.
 * @param make opens another holder that excludes the earlier holders.
 */
export function describeLeasesContract(engine: string, make: MakeHolder): void {
  let number = 0;
  const newName = (): string => `work-${String(process.pid)}-${String((number += 1))}`;

  async function limitedHolder(heldLimit: number): Promise<Leases> {
    const leases = await make(heldLimit);
    onTestFinished(() => leases.close());
    return leases;
  }

  async function holders(): Promise<readonly [Leases, Leases]> {
    const first = await make();
    const second = await make();
    onTestFinished(async () => {
      await Promise.all([first.close(), second.close()]);
    });
    return [first, second];
  }

  describe(`leases: ${engine}`, () => {
    it("gives a lease to one of two holders", async () => {
      const [first, second] = await holders();
      const name = newName();

      const asked = await Promise.all([first.tryAcquire(name), second.tryAcquire(name)]);

      expect(asked.filter((lease) => lease !== undefined)).toHaveLength(1);
    });

    it("grants a lease once to the same holder", async () => {
      const [first] = await holders();
      const name = newName();

      const asked = await Promise.all([first.tryAcquire(name), first.tryAcquire(name)]);

      expect(asked.filter((lease) => lease !== undefined)).toHaveLength(1);
      expect(await first.tryAcquire(name)).toBeUndefined();
    });

    it("grants a released lease to the next, here and elsewhere", async () => {
      const [first, second] = await holders();
      const name = newName();

      const lease = await first.tryAcquire(name);
      // Not awaited, because a request behind a release gets the released lease.
      void lease?.release();
      const again = await first.tryAcquire(name);
      await again?.release();
      const elsewhere = await second.tryAcquire(name);

      expect(again?.name).toBe(name);
      expect(elsewhere?.name).toBe(name);
      expect(lease?.lost.aborted).toBe(false);
    });

    it("a second release of an old lease does not affect its new holder", async () => {
      const [first, second] = await holders();
      const name = newName();

      const old = await first.tryAcquire(name);
      await old?.release();
      await first.tryAcquire(name);
      await old?.release();

      expect(await second.tryAcquire(name)).toBeUndefined();
    });

    it("separates leases by name", async () => {
      const [first, second] = await holders();

      const asked = [await first.tryAcquire(newName()), await second.tryAcquire(newName())];

      expect(asked).not.toContain(undefined);
    });

    it("holds no more leases than it may, and has room again after a release", async () => {
      const leases = await limitedHolder(2);
      const first = await leases.tryAcquire(newName());
      await leases.tryAcquire(newName());

      expect(await leases.tryAcquire(newName())).toBeUndefined();
      await first?.release();
      expect(await leases.tryAcquire(newName())).toBeDefined();
    });

    it("has no room for new work while some leases are reserved for running work", async () => {
      const leases = await limitedHolder(10);
      const held: Lease[] = [];
      for (let number = 1; number <= 10; number += 1) {
        expect(leases.hasRoom).toBe(number <= 9);
        const lease = await leases.tryAcquire(newName());
        if (lease !== undefined) held.push(lease);
      }
      expect(held).toHaveLength(10);
      await Promise.all(held.slice(8).map((lease) => lease.release()));
      expect(leases.hasRoom).toBe(true);
    });

    it("releases everything when it closes, and nothing afterwards", async () => {
      const [first, second] = await holders();
      const names = [newName(), newName()];
      for (const name of names) await first.tryAcquire(name);

      await first.close();

      for (const name of names) expect((await second.tryAcquire(name))?.name).toBe(name);
      expect(await first.tryAcquire(newName())).toBeUndefined();
    });
  });
}
