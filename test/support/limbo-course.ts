import { expect } from "vitest";

import { hear } from "./books.ts";
import type { Instance } from "./instance.ts";
import { openCustomer, sell } from "./staff-client.ts";

/**
 * Plays a name in the registrar's limbo: refunded at once, reserved, then cancelled at the registrar and free.
 * @param until repeats a check until it no longer throws.
 * @returns the instance's final data about the name.
 */
export async function limboCourse(
  { staff, baseUrl }: Pick<Instance, "staff" | "baseUrl">,
  until: (hasEnded: () => Promise<void>) => Promise<unknown>,
): ReturnType<typeof hear> {
  await sell(staff, "com");
  const customer = await openCustomer(staff, baseUrl, { balanceCents: 10_000n });
  const order = (): Promise<unknown> => customer.post("/domains", { domain: "limbo.com" });

  expect(await order()).toMatchObject({ status: 500, body: { code: "registrar_failed" } });
  expect((await customer.get("/billing/balance")).body).toEqual({ balance: "100.00" });
  expect(await order()).toMatchObject({ status: 409, body: { code: "registration_in_flight" } });
  expect((await customer.get("/domains")).body).toEqual([]);

  await until(async () => {
    expect((await staff.domains.listRuns({})).runs).toEqual([]);
  });
  expect((await staff.domains.showSandbox({})).registrar).toEqual([]);
  expect(await customer.get("/domains/search?domain=limbo.com")).toMatchObject({
    status: 200,
    body: { available: true },
  });
  return hear(staff, [customer]);
}
