import { Code, ConnectError } from "@connectrpc/connect";
import { rejection, type DomainEvent, type PaidOrder, type RejectionCode } from "@hostledger/core";
import { registrationExamples, renewalExamples } from "@hostledger/core/testing";
import { paidOrderDefinition } from "@hostledger/process-manager";
import { rejectionError } from "@hostledger/rpc";
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

/** What the runs of paid orders touch, shown on the two of domains. */

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
  const answer = { invoiceId: 101n, invoiceNumber: "2026-7-000001", grossCents: 2_380n, isNew: true };

  it("that was made before says so", async () => {
    const input = await inputAfter("charging", {
      accounts: { chargeBalance: () => ({ ...answer, isNew: false }) },
    });
    expect(input).toEqual({ type: "charged-before", charge, at: now });
  });

  it("is the price of the years, under the run's own id", async () => {
    const requests: unknown[] = [];
    const input = await inputAfter("charging", {
      accounts: {
        chargeBalance({ accountId, chargeId, action, lines, duration, domainId, pricesIncludeVat }) {
          const [line] = lines.map(({ quantity, unitNetCents }) => ({ quantity, unitNetCents }));
          const what = { action, line, lines: lines.length, duration, domainId, pricesIncludeVat };
          requests.push({ accountId, chargeId, ...what });
          return answer;
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
        pricesIncludeVat: false,
      },
    ]);
  });

  it("of a renewal says so", async () => {
    const asked: object[] = [];
    const accounts: NonNullable<Script["accounts"]> = {
      chargeBalance({ chargeId, action, lines, duration, domainId }) {
        const [line] = lines;
        asked.push({
          chargeId,
          action,
          duration,
          domainId,
          quantity: line?.quantity,
          price: line?.unitNetCents,
        });
        return { invoiceId: 102n, invoiceNumber: "2028-7-000002", grossCents: 2_856n, isNew: true };
      },
    };
    const input = await renewalStep("charging", scriptedEffects({ accounts })).perform();
    expect(input).toEqual({ type: "charged", charge: renewalExamples.charge, at: now });
    const { renewalId: chargeId } = renewalExamples;
    expect(asked).toEqual([
      { chargeId, action: "renewal", duration: 2, domainId: 3n, quantity: 2, price: 1_200n },
    ]);
  });

  it("is called for on behalf of the request that began the run", async () => {
    const correlations: unknown[] = [];
    await inputAfter("charging", {
      accounts: {
        chargeBalance(_, { requestHeader }) {
          correlations.push(requestHeader.get("hostledger-correlation-id"));
          return answer;
        },
      },
    });
    expect(correlations).toEqual(["correlation-1"]);
  });
});

describe("a provider that the service does not have", () => {
  it("is asked for nothing: the step fails", async () => {
    const { process, histories } = registrationExamples;
    const step = stepAfter({ process, runId: "r-1" }, histories.ordering, {
      ...scriptedEffects(),
      ...ofTheService,
    });
    await expect(step.perform()).rejects.toThrow("nobody here carries out register");
  });
});

describe("an order that comes to nothing", () => {
  const refundRegistration = () => ({ correctionId: 102n, grossCents: 2_380n });
  const refuse = () => {
    throw rejectionError(rejection("insufficient-balance"));
  };

  it("is counted in the day's quota of its customer, when its money goes back", async () => {
    const effects = scriptedEffects({ accounts: { refundRegistration } });
    await registrationStep("refunding", effects).perform();
    expect(effects.counted).toEqual([7]);
  });

  it("is counted when its charge is refused", async () => {
    const effects = scriptedEffects({ accounts: { chargeBalance: refuse } });
    await registrationStep("charging", effects).perform();
    expect(effects.counted).toEqual([7]);
  });

  it.each(["service:domain", "staff:1", "nobody we know"])("is not counted for %s", async (actor) => {
    const effects = scriptedEffects({ accounts: { refundRegistration } });
    const run = { process: registrationExamples.process, runId: "r-1", actor };
    await stepAfter(run, registrationExamples.histories.refunding, { ...effects, ...ofTheService }).perform();
    expect(effects.counted).toEqual([]);
  });

  it("is not counted when its money could not go back yet", async () => {
    const effects = scriptedEffects({
      accounts: {
        refundRegistration() {
          throw new ConnectError("down", Code.Unavailable);
        },
      },
    });
    await expect(registrationStep("refunding", effects).perform()).rejects.toThrow();
    expect(effects.counted).toEqual([]);
  });

  it("goes on, and the log says so, when it cannot be counted", async () => {
    const error = new Error("the disk is full");
    const effects = scriptedEffects({
      accounts: { refundRegistration },
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
        refundRegistration({ accountId, chargeId, reason }) {
          requests.push({ accountId, chargeId, reason });
          return { correctionId: 102n, grossCents: 2_380n };
        },
      },
    });
    expect(input).toEqual({ type: "refunded", correctionId: 102, at: now });
    expect(requests).toEqual([{ accountId: 7n, chargeId: "r-1", reason: "Policy" }]);
  });

  it("returns any other charge as such", async () => {
    const { renewalId } = renewalExamples;
    const accounts: NonNullable<Script["accounts"]> = {
      refundCharge: ({ chargeId }) => ({ correctionId: chargeId === renewalId ? 103n : 0n }),
    };
    const input = await renewalStep("refunding", scriptedEffects({ accounts })).perform();
    expect(input).toEqual({ type: "refunded", correctionId: 103, at: now });
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
    "rate-limited",
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
  const commands = {
    confirming: { type: "RegisterDomain", data: { ...data, ...registrationExamples.order, ...charge } },
    releasing: { type: "ReleaseRegistration", data: { ...data, reason: "charge-refused", at: now } },
    fencing: { type: "HoldRegistration", data: { ...data, at: now } },
  } as const;
  const statuses = ["confirming", "releasing", "fencing"] as const;

  it.each(statuses)("is given when %s, under an id that repeats find again", async (status) => {
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
  ] as const)("of a renewal is given when %s", async (status, type, rest) => {
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
    const { histories, facts } = registrationExamples;
    expect(registrationStep("settling", scriptedEffects())).toMatchObject({
      kind: "call",
      notBefore: facts.RegistrarOrderNotHeld.data.askAgainAt,
      longestPauseMs: 15_000,
    });
    expect(histories.settling).toContain(facts.RegistrarOrderNotHeld);
  });
});
