import { describe, expect, it, test } from "vitest";

import { nextDelivery } from "../desired/domain.desired.ts";
import { CorruptStreamError } from "../kernel/decider.ts";
import type { RejectionCode } from "../kernel/rejection-catalogue.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { domain } from "./domain.decider.ts";
import type { DomainNameEvent } from "./domain.events.ts";
import { commands, samples, reserve } from "./domain.fixture.ts";
import { at, held, transferCommands, transferEvents } from "./domain-transfer.fixture.ts";
import { nextAutomaticRenewal } from "./domain-renewal.ts";
import type { DomainState } from "./domain.state.ts";

const spec = deciderSpec(domain);
const { TransferReserved, TransferReleased, DomainTransferredIn } = transferEvents;

const histories = {
  free: [],
  "reserved by a registration": [samples.RegistrationReserved],
  "held by a registration": [samples.RegistrationReserved, samples.RegistrationHeld],
  transferring: [TransferReserved],
  released: [TransferReserved, TransferReleased],
  transferred: [TransferReserved, DomainTransferredIn],
  "registered by somebody": [samples.RegistrationReserved, samples.DomainRegistered],
} as const satisfies Readonly<Record<string, readonly DomainNameEvent[]>>;

type Answer = DomainNameEvent | "nothing" | RejectionCode;
type State = keyof typeof histories;

/** The answers to the commands of a transfer's run, in every state. */
const answers: readonly (readonly [State, Answer, Answer, Answer])[] = [
  ["free", TransferReserved, "nothing", "registration-not-found"],
  [
    "reserved by a registration",
    "registration-in-flight",
    "registration-not-found",
    "registration-not-found",
  ],
  ["held by a registration", "registration-in-flight", "registration-not-found", "registration-not-found"],
  ["transferring", "nothing", TransferReleased, DomainTransferredIn],
  ["released", TransferReserved, "nothing", "registration-not-found"],
  ["transferred", "nothing", "domain-taken", "nothing"],
  ["registered by somebody", "domain-taken", "registration-not-found", "registration-not-found"],
];

describe("a name and a transfer to us", () => {
  test.each(answers)("%s", (state, reserved, released, transferred) => {
    const { ReserveTransfer, ReleaseTransfer, TransferDomainIn } = transferCommands;
    for (const [command, answer] of [
      [ReserveTransfer, reserved],
      [ReleaseTransfer, released],
      [TransferDomainIn, transferred],
    ] as const) {
      const when = spec.given(...histories[state]).when(command);
      if (answer === "nothing") when.thenNothing();
      else if (typeof answer === "string") when.thenRejected(answer);
      else when.then(answer);
    }
  });

  it("refuses another transfer, and a registration, while a transfer is in progress", () => {
    const { ReserveTransfer, ReleaseTransfer, TransferDomainIn } = transferCommands;
    const other = "t-2";
    const given = (): ReturnType<typeof spec.given> => spec.given(TransferReserved);
    given()
      .when({ ...ReserveTransfer, data: { ...ReserveTransfer.data, transferId: other } })
      .thenRejected("registration-in-flight");
    given()
      .when({ ...ReleaseTransfer, data: { ...ReleaseTransfer.data, transferId: other } })
      .thenRejected("registration-not-found");
    given()
      .when({ ...TransferDomainIn, data: { ...TransferDomainIn.data, transferId: other } })
      .thenRejected("registration-not-found");
    given().when(reserve()).thenRejected("registration-in-flight");
    for (const { type } of Object.values(commands))
      if (type !== "ReserveRegistration") given().when(commands[type]).thenRejected("registration-not-found");
  });

  it.each([
    ["changed", { type: "SetAutoRenewal", data: { changeId: "c", autoRenew: false, at } }],
    ["suspended", { type: "SetDomainSuspension", data: { suspended: true, at } }],
    ["expired", { type: "ExpireDomain", data: { at } }],
  ] as const)("is not %s on its way", (_, command) => {
    spec.given(TransferReserved).when(command).thenRejected("domain-not-active");
  });

  it("keeps its delegation and has no zone until its customer wants one; it renews automatically as ordered", () => {
    const state = histories.transferred.reduce<DomainState>(domain.evolve, domain.initialState);
    if (state.status !== "registered") throw new Error("it did not come over");
    expect(state.domain).toMatchObject({
      usesServiceNameservers: false,
      nameservers: held.nameservers,
      expiresAt: held.expiresAt,
      zone: null,
    });
    expect(nextDelivery(state.domain)).toBeUndefined();
    expect(nextAutomaticRenewal(state.domain)).toMatchObject({ expiresAt: held.expiresAt });
  });

  it("is to be delegated to the nameservers that the customer gave", () => {
    const nameservers = ["ns1.customer.test", "ns2.customer.test"];
    const reserved = { ...TransferReserved, data: { ...TransferReserved.data, nameservers } };
    const state = [reserved, DomainTransferredIn].reduce<DomainState>(domain.evolve, domain.initialState);
    if (state.status !== "registered") throw new Error("it did not come over");
    expect(nextDelivery(state.domain)).toEqual({ type: "delegation", nameservers });
  });

  it("follows no event but its own", () => {
    for (const [name, history] of Object.entries(histories)) {
      const state = history.reduce<DomainState>(domain.evolve, domain.initialState);
      const isFree = name === "free" || name === "released";
      const follows = { TransferReserved: isFree, TransferReleased: false, DomainTransferredIn: false };
      for (const event of Object.values(transferEvents)) {
        const fold = (): DomainState => domain.evolve(state, event);
        if (follows[event.type] || (name === "transferring" && event !== TransferReserved))
          expect(fold).not.toThrow();
        else expect(fold).toThrow(CorruptStreamError);
      }
    }
  });
});
