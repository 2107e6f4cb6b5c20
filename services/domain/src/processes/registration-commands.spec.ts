import { Code, ConnectError } from "@connectrpc/connect";
import { rejection, type RejectionCode } from "@hostledger/core";
import { registrationExamples } from "@hostledger/core/testing";
import { rejectionError } from "@hostledger/rpc";
import { describe, expect, it } from "vitest";

import { context, inputAfter, now, scriptedHands, stateIn } from "./registration-hands.fixture.ts";
import { registrationRunnable } from "./registration.runnable.ts";

const { charge } = registrationExamples;

describe("the charge", () => {
  const purchase = {
    invoiceId: 101n,
    invoiceNumber: "2026-7-000001",
    netCents: 2_000n,
    vatCents: 380n,
    grossCents: 2_380n,
  };

  it("is the price of the years, under the run's own id", async () => {
    const requests: unknown[] = [];
    const input = await inputAfter("charging", {
      accounts: {
        chargeBalance({ accountId, chargeId, action, lines, duration, domainId }) {
          const [line] = lines.map(({ quantity, unitNetCents }) => ({ quantity, unitNetCents }));
          requests.push({ accountId, chargeId, action, line, lines: lines.length, duration, domainId });
          return purchase;
        },
      },
    });
    expect(input).toEqual({ type: "charged", charge, at: now });
    expect(requests).toEqual([
      {
        accountId: 7n,
        chargeId: "r-1",
        action: "purchase",
        line: { quantity: 2, unitNetCents: 1_000n },
        lines: 1,
        duration: 2,
        domainId: 3n,
      },
    ]);
  });

  it("is called for on behalf of the request that began the run", async () => {
    const correlations: unknown[] = [];
    await inputAfter("charging", {
      accounts: {
        chargeBalance(_, { requestHeader }) {
          correlations.push(requestHeader.get("hostledger-correlation-id"));
          return purchase;
        },
      },
    });
    expect(correlations).toEqual(["correlation-1"]);
  });
});

describe("the refund", () => {
  it("returns the charge with the reason", async () => {
    const requests: unknown[] = [];
    const input = await inputAfter("refunding", {
      accounts: {
        refundRegistration({ accountId, chargeId, reason }) {
          requests.push({ accountId, chargeId, reason });
          return { correctionId: 102n, grossCents: 2_380n };
        },
      },
    });
    expect(input).toEqual({ type: "refunded", correctionId: 102, at: now });
    expect(requests).toEqual([{ accountId: 7n, chargeId: "r-1", reason: "Policy" }]);
  });
});

describe.each([
  ["charging", "chargeBalance"],
  ["refunding", "refundRegistration"],
] as const)("an account service that says no when %s", (status, method) => {
  const answering = (error: unknown) =>
    inputAfter(status, {
      accounts: {
        [method]: () => {
          throw error;
        },
      },
    });

  it.each<RejectionCode>([
    "insufficient-balance",
    "account-not-open",
    "validation-failed",
    "charge-conflict",
    "charge-not-found",
    "unauthorized",
  ])("refuses: %s becomes an input", async (code) => {
    const refusal = rejection(code, undefined, { requiredCents: 2_380n, availableCents: 1n });
    await expect(answering(rejectionError(refusal))).resolves.toEqual({
      type: "rejected",
      rejection: refusal,
      at: now,
    });
  });

  it.each<RejectionCode>([
    "internal",
    "overloaded",
    "temporarily-unavailable",
    "deadline-exceeded",
    "unauthenticated",
  ])("could not decide: %s throws, so that the step is repeated", async (code) => {
    await expect(answering(rejectionError(rejection(code)))).rejects.toThrow(ConnectError);
  });

  it.each([
    new ConnectError("connection refused", Code.Unavailable),
    new ConnectError("it broke on its way", Code.Aborted),
    new ConnectError("too late", Code.DeadlineExceeded),
    new Error("a bug"),
  ])("did not decide: %s throws", async (error) => {
    await expect(answering(error)).rejects.toThrow();
  });
});

describe("a command to the name", () => {
  const data = { registrationId: "r-1" };
  const { nameservers: _, ...order } = registrationExamples.order;
  const commands = {
    confirming: {
      type: "RegisterDomain",
      data: { ...data, ...order, ...charge, nameservers: ["ns1.hostledger.test", "ns2.hostledger.test"] },
    },
    releasing: { type: "ReleaseRegistration", data: { ...data, reason: "charge-refused", at: now } },
    holding: { type: "HoldRegistration", data: { ...data, at: now } },
  } as const;
  const statuses = Object.keys(commands).filter(
    (status): status is keyof typeof commands => status in commands,
  );

  it.each(statuses)("is given when %s, under an id that repeats find again", async (status) => {
    const hands = scriptedHands();
    const step = registrationRunnable(hands).next(stateIn(status), "r-1", context);
    if (!("perform" in step)) throw new Error(`nothing is done in ${status}`);
    await expect(step.perform()).resolves.toEqual({ type: "accepted", at: now });
    const command = commands[status];
    expect(hands.given).toEqual([
      {
        stream: "domain-example.com",
        command,
        context: { ...context, causationId: "r-1", commandId: `r-1/${command.type}` },
      },
    ]);
  });

  it.each(statuses)("that is refused when %s becomes an input", async (status) => {
    const nameRefusal = rejection("registration-not-found");
    await expect(inputAfter(status, { nameRefusal })).resolves.toEqual({
      type: "rejected",
      rejection: nameRefusal,
      at: now,
    });
  });

  it.each(statuses)(
    "that found the store busy when %s throws, so that the step is repeated",
    async (status) => {
      await expect(inputAfter(status, { nameRefusal: rejection("overloaded") })).rejects.toThrow();
    },
  );
});
