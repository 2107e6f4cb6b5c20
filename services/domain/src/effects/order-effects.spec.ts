import {
  rejection,
  type DomainEvent,
  type PaidOrder,
  type Rejection,
  type RejectionCode,
} from "@hostledger/core";
import { registrationExamples, renewalExamples } from "@hostledger/core/testing";
import { paidOrderDefinition } from "@hostledger/work";
import { silentLogger } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { registrarEffects } from "./registrar-effects.ts";
import {
  context,
  now,
  scriptedEffects,
  serviceNameservers,
  type ScriptedEffects,
  type Script,
} from "./scripted-effects.fixture.ts";

/** Tests the effects of paid orders on the two orders of domains. */

const { charge } = registrationExamples;

/** A run's step in the state of a history. */
function stepAfter<Subject, Held, Event extends DomainEvent>(
  { process, runId, ...given }: { process: PaidOrder<Subject, Held, Event>; runId: string; actor?: string },
  history: readonly Event[],
  effects: Parameters<typeof paidOrderDefinition<Subject, Held, Event>>[1],
) {
  const state = history.reduce(process.evolve, process.initialState);
  const step = paidOrderDefinition(process, effects).next(state, runId, { ...context, ...given });
  if (!("perform" in step)) throw new Error(`nothing is done in ${state.status}`);
  return step;
}

const anybody = { find: () => Promise.resolve({ isKnown: true, of: {} } as const) };

const ofTheService = { recordedBy: "domain-service", logger: silentLogger() };

type RegistrationStatus = keyof typeof registrationExamples.histories;

function registrationStep(status: RegistrationStatus, effects: ScriptedEffects) {
  const run = { process: registrationExamples.process, runId: "r-1" };
  return stepAfter(run, registrationExamples.histories[status], {
    ...effects,
    ...ofTheService,
    askRegistrar: registrarEffects(effects.registrars, serviceNameservers, anybody),
  });
}

const inputAfter = (status: RegistrationStatus, script: Script = {}) =>
  registrationStep(status, scriptedEffects(script)).perform();

function renewalStep(status: keyof typeof renewalExamples.histories, effects: ScriptedEffects) {
  const { process, renewalId: runId, histories } = renewalExamples;
  return stepAfter({ process, runId }, histories[status], {
    ...effects,
    ...ofTheService,
    askRegistrar: registrarEffects(effects.registrars, serviceNameservers, anybody),
  });
}

describe("the charge", () => {
  const charged = (invoiceId: number, grossCents: bigint, isNew = true) =>
    Promise.resolve({ accepted: true, charge: { invoiceId, grossCents }, isNew } as const);

  it("that was made before is reported as such", async () => {
    const input = await inputAfter("charging", {
      accounts: { charge: () => charged(101, 2_380n, false) },
    });
    expect(input).toEqual({ type: "charged-before", charge, at: now });
  });

  it("is the price of the years, under the run's own id", async () => {
    const requests: unknown[] = [];
    const input = await inputAfter("charging", {
      accounts: {
        charge({ accountId, chargeId, action, lines, duration, domainId, pricesIncludeVat }) {
          const [line] = lines.map(({ quantity, unitNetCents }) => ({ quantity, unitNetCents }));
          const what = { action, line, lines: lines.length, duration, domainId, pricesIncludeVat };
          requests.push({ accountId, chargeId, ...what });
          return charged(101, 2_380n);
        },
      },
    });
    expect(input).toEqual({ type: "charged", charge, at: now });
    expect(requests).toEqual([
      {
        accountId: 7,
        chargeId: "r-1",
        action: "purchase",
        line: { quantity: 2, unitNetCents: 1_000n },
        lines: 1,
        duration: 2,
        domainId: 3,
        pricesIncludeVat: false,
      },
    ]);
  });

  it("of a renewal is reported", async () => {
    const asked: object[] = [];
    const accounts: NonNullable<Script["accounts"]> = {
      charge({ chargeId, action, lines, duration, domainId }) {
        const [line] = lines;
        asked.push({
          chargeId,
          action,
          duration,
          domainId,
          quantity: line?.quantity,
          price: line?.unitNetCents,
        });
        return charged(102, 2_856n);
      },
    };
    const input = await renewalStep("charging", scriptedEffects({ accounts })).perform();
    expect(input).toEqual({ type: "charged", charge: renewalExamples.charge, at: now });
    const { renewalId: chargeId } = renewalExamples;
    expect(asked).toEqual([
      { chargeId, action: "renewal", duration: 2, domainId: 3, quantity: 2, price: 1_200n },
    ]);
  });

  it("is made by the service on behalf of the request that began the run", async () => {
    const contexts: unknown[] = [];
    await inputAfter("charging", {
      accounts: {
        charge(_, given) {
          contexts.push(given);
          return charged(101, 2_380n);
        },
      },
    });
    expect(contexts).toEqual([
      { correlationId: "correlation-1", requestId: "correlation-1", actor: "service:domain" },
    ]);
  });
});

describe("a provider that the service does not have", () => {
  it("is not called: the step fails", async () => {
    const { process, histories } = registrationExamples;
    const step = stepAfter({ process, runId: "r-1" }, histories.ordering, {
      ...scriptedEffects(),
      ...ofTheService,
    });
    await expect(step.perform()).rejects.toThrow("nobody here carries out register");
  });
});

describe("an order that comes to nothing", () => {
  const refund = () => Promise.resolve({ accepted: true, correctionId: 102, grossCents: 2_380n } as const);
  const refuse = () =>
    Promise.resolve({ accepted: false, rejection: rejection("insufficient-balance") } as const);

  it("is counted in the day's quota of its customer, when its money goes back", async () => {
    const effects = scriptedEffects({ accounts: { refund } });
    await registrationStep("refunding", effects).perform();
    expect(effects.counted).toEqual([7]);
  });

  it("is counted when its charge is refused", async () => {
    const effects = scriptedEffects({ accounts: { charge: refuse } });
    await registrationStep("charging", effects).perform();
    expect(effects.counted).toEqual([7]);
  });

  it.each(["service:domain", "staff:1", "nobody we know"])("is not counted for %s", async (actor) => {
    const effects = scriptedEffects({ accounts: { refund } });
    const run = { process: registrationExamples.process, runId: "r-1", actor };
    await stepAfter(run, registrationExamples.histories.refunding, { ...effects, ...ofTheService }).perform();
    expect(effects.counted).toEqual([]);
  });

  it("is not counted when its money could not go back yet", async () => {
    const effects = scriptedEffects({
      accounts: { refund: () => Promise.reject(new Error("the store does not answer")) },
    });
    await expect(registrationStep("refunding", effects).perform()).rejects.toThrow();
    expect(effects.counted).toEqual([]);
  });

  it("continues and logs a failure to count it", async () => {
    const error = new Error("the disk is full");
    const effects = scriptedEffects({
      accounts: { refund },
      countFailedOrder: () => Promise.reject(error),
    });
    const lines: unknown[] = [];
    const logger = { ...silentLogger(), error: (...line: unknown[]) => void lines.push(line) };
    const run = { process: registrationExamples.process, runId: "r-1" };
    const step = stepAfter(run, registrationExamples.histories.refunding, {
      ...effects,
      ...ofTheService,
      logger,
    });
    expect(await step.perform()).toEqual({ type: "refunded", correctionId: 102, at: now });
    expect(lines).toEqual([[{ run: "r-1", error }, "an order that came to nothing could not be counted"]]);
  });
});

describe("the refund", () => {
  it("returns the charge of a registration with the reason", async () => {
    const requests: unknown[] = [];
    const input = await inputAfter("refunding", {
      accounts: {
        refund(order) {
          requests.push(order);
          return Promise.resolve({ accepted: true, correctionId: 102, grossCents: 2_380n });
        },
      },
    });
    expect(input).toEqual({ type: "refunded", correctionId: 102, at: now });
    expect(requests).toEqual([{ accountId: 7, chargeId: "r-1", of: "registration", reason: "Policy" }]);
  });

  it("refunds any other charge as such", async () => {
    const { renewalId: chargeId } = renewalExamples;
    const orders: unknown[] = [];
    const accounts: NonNullable<Script["accounts"]> = {
      refund(order) {
        orders.push(order);
        return Promise.resolve({ accepted: true, correctionId: 103, grossCents: 2_856n });
      },
    };
    const input = await renewalStep("refunding", scriptedEffects({ accounts })).perform();
    expect(input).toEqual({ type: "refunded", correctionId: 103, at: now });
    expect(orders).toMatchObject([{ chargeId, of: "charge" }]);
  });
});

describe.each([
  ["charging", "charge"],
  ["refunding", "refund"],
] as const)("an account that says no when %s", (status, method) => {
  const refusing = (refusal: Rejection) =>
    inputAfter(status, {
      accounts: { [method]: () => Promise.resolve({ accepted: false, rejection: refusal }) },
    });

  it.each<RejectionCode>([
    "insufficient-balance",
    "account-not-open",
    "validation-failed",
    "charge-conflict",
    "charge-not-found",
  ])("refuses: %s becomes an input", async (code) => {
    const refusal = rejection(code, undefined, { requiredCents: 2_380n, availableCents: 1n });
    await expect(refusing(refusal)).resolves.toEqual({ type: "rejected", rejection: refusal, at: now });
  });

  it.each<RejectionCode>(["overloaded", "store-rewound"])(
    "could not decide: %s throws, so that the step is repeated",
    async (code) => {
      const refusal = rejection(code);
      await expect(refusing(refusal)).rejects.toThrow(refusal.message);
    },
  );

  it("did not decide: an error of the store throws", async () => {
    const failing = inputAfter(status, {
      accounts: { [method]: () => Promise.reject(new Error("the store does not answer")) },
    });
    await expect(failing).rejects.toThrow("the store does not answer");
  });
});

describe("a command to the name", () => {
  const data = { registrationId: "r-1" };
  const commands = {
    confirming: { type: "RegisterDomain", data: { ...data, ...registrationExamples.order, ...charge } },
    releasing: { type: "ReleaseRegistration", data: { ...data, reason: "charge-refused", at: now } },
    fencing: { type: "HoldRegistration", data: { ...data, at: now } },
  } as const;
  const statuses = ["confirming", "releasing", "fencing"] as const;

  it.each(statuses)("is executed when %s, under an id that repeats find again", async (status) => {
    const effects = scriptedEffects();
    await expect(registrationStep(status, effects).perform()).resolves.toEqual({
      type: "accepted",
      found: undefined,
      at: now,
    });
    const command = commands[status];
    expect(effects.given).toEqual([
      {
        stream: "domain-example.com",
        command,
        context: { ...context, causationId: "r-1", commandId: `r-1/${command.type}` },
      },
    ]);
  });

  it.each([
    ["confirming", "RecordRenewed", { ...renewalExamples.charge, expiresAt: renewalExamples.after, at: now }],
    ["releasing", "RecordRenewalFailed", { reason: "insufficient-balance", requiredCents: "2856", at: now }],
  ] as const)("of a renewal is executed when %s", async (status, type, rest) => {
    const effects = scriptedEffects();
    const { renewalId } = renewalExamples;
    await renewalStep(status, effects).perform();
    expect(effects.given).toEqual([
      {
        stream: "domain-example.com",
        command: { type, data: { renewalId, ...rest } },
        context: { ...context, causationId: renewalId, commandId: `${renewalId}/${type}` },
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

  it.each(statuses)("that found the store busy when %s throws, so that it is repeated", async (status) => {
    await expect(inputAfter(status, { nameRefusal: rejection("overloaded") })).rejects.toThrow();
  });
});

describe("a question to the provider", () => {
  it("waits for its time, and no longer than the longest pause", () => {
    const { histories, samples: events } = registrationExamples;
    expect(registrationStep("settling", scriptedEffects())).toMatchObject({
      kind: "call",
      notBefore: events.RegistrarOrderNotHeld.data.askAgainAt,
      longestPauseMs: 15_000,
    });
    expect(histories.settling).toContain(events.RegistrarOrderNotHeld);
  });
});
