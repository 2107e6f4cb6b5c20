import { expect, it } from "vitest";

import type { Registrar, RegistrationOrder } from "../registrar/registrar.port.ts";

/** Tests a registrar adapter's settings of a name: WHOIS privacy, locks and authInfo. */
export function describeSettings(registrar: () => Registrar, order: () => RegistrationOrder): void {
  it.each([
    [{ whoisPrivacy: false }, { whoisPrivacy: false, transferLock: true }],
    [{ transferLock: false }, { whoisPrivacy: true, transferLock: false }],
    [
      { whoisPrivacy: false, transferLock: false },
      { whoisPrivacy: false, transferLock: false },
    ],
    [{}, { whoisPrivacy: true, transferLock: true }],
  ])("changes the settings %o, again without harm, and leaves the others", async (settings, expected) => {
    await registrar().register(order());
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await registrar().updateSettings(order().name, settings)).toMatchObject({
        outcome: "done",
        value: { ...expected, nameservers: order().nameservers },
      });
    }
    expect(await registrar().inquire(order().name)).toMatchObject({ value: { domain: expected } });
  });

  it("holds a name, so that it does not resolve, renews it all the same, and releases it", async () => {
    const registered = await registrar().register(order());
    const { name } = order();
    const currentExpiresAt = registered.outcome === "done" ? registered.value.expiresAt : "";
    for (const hold of [true, true, false, false, true])
      expect(await registrar().updateSettings(name, { hold })).toMatchObject({
        outcome: "done",
        value: { hold, transferLock: true, whoisPrivacy: true },
      });
    const renewal = { clientTransactionId: `${order().clientTransactionId}-renewal`, name, years: 1 };
    expect(await registrar().renew({ ...renewal, currentExpiresAt })).toMatchObject({ outcome: "done" });
    await registrar().updateSettings(name, { transferLock: false });
    expect(await registrar().inquire(name)).toMatchObject({
      value: { domain: { hold: true, transferLock: false } },
    });
  });

  it("changes settings back", async () => {
    await registrar().register(order());
    await registrar().updateSettings(order().name, { transferLock: false });
    await registrar().updateSettings(order().name, { transferLock: true });
    expect(await registrar().inquire(order().name)).toMatchObject({
      value: { domain: { transferLock: true } },
    });
  });

  it("returns the transfer code of a name, which differs from other names' codes", async () => {
    await registrar().register(order());
    const answer = await registrar().authCode(order().name);
    expect(answer).toMatchObject({
      outcome: "done",
      value: { authCode: expect.stringMatching(/^\S{8,}$/) as unknown },
    });
    expect(JSON.stringify(await registrar().inquire(order().name))).not.toContain(
      answer.outcome === "done" ? answer.value.authCode : "",
    );
  });

  it("refuses both for a name it does not hold", async () => {
    const refusal = { outcome: "refused", reason: "rejected" };
    expect(await registrar().updateSettings(order().name, { whoisPrivacy: true })).toMatchObject(refusal);
    expect(await registrar().authCode(order().name)).toMatchObject(refusal);
  });
}
