import { describe, expect, it, test } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import type { ServerCommand } from "./server.commands.ts";
import { server } from "./server.decider.ts";
import type { ServerEvent, ServerTerminationBegun } from "./server.events.ts";
import { at, commands, expiresAt, samples, histories, renewalBegun } from "./server.fixture.ts";

const spec = deciderSpec(server);
const { active, suspended, terminating, terminated } = histories;

const end = (now: string): ServerCommand => ({
  type: "EndServer",
  data: { ...commands.EndServer.data, at: now },
});
const suspension = (suspendedAt: string, reason: "expired" | "staff" = "expired"): ServerEvent => ({
  type: "ServerSuspended",
  data: { serverId: 5, reason, hold: false, publicReason: null, note: null, suspendedAt },
});
const begun = (reason: ServerTerminationBegun["data"]["reason"], begunAt: string): ServerEvent => ({
  type: "ServerTerminationBegun",
  data: { ...samples.ServerTerminationBegun.data, reason, begunAt },
});

describe("a server that nobody renews", () => {
  it.each([
    ["as it expired", expiresAt, "2026-03-14T10:00:00.000000Z"],
    ["long before it expired", at, "2026-03-14T10:00:00.000000Z"],
    ["when we looked at last, days later", "2026-03-20T08:00:00.000000Z", "2026-04-03T08:00:00.000000Z"],
  ])("ends fourteen days later if it was suspended %s", (_, suspendedAt, endsAt) => {
    const given = spec.given(...active, suspension(suspendedAt));
    given.when(end(`${endsAt.slice(0, 11)}07:59:59.999999Z`)).thenNothing();
    given.when(end(endsAt)).then(begun("expired", endsAt));
  });

  it("also ends if staff suspended it", () => {
    const endsAt = "2026-03-14T10:00:00.000000Z";
    spec
      .given(...active, suspension(at, "staff"))
      .when(end(endsAt))
      .then(begun("expired", endsAt));
  });

  it("does not end while it runs, at any time, nor after a renewal", () => {
    const later = "2030-01-01T00:00:00.000000Z";
    spec
      .given(...active)
      .when(end(later))
      .thenNothing();
    spec
      .given(...active, suspension(expiresAt), samples.ServerRenewed)
      .when(end(later))
      .thenNothing();
  });

  describe("that staff hold, too", () => {
    const held: ServerEvent = {
      type: "ServerSuspended",
      data: {
        serverId: 5,
        reason: "staff",
        hold: true,
        publicReason: "Sends unwanted mail",
        note: null,
        suspendedAt: at,
      },
    };
    const released = (unsuspendedAt: string): ServerEvent => ({
      type: "ServerUnsuspended",
      data: { serverId: 5, unsuspendedAt },
    });

    it("does not end, and its customer does not end it at once", () => {
      const given = spec.given(...active, held);
      given.when(end("2030-01-01T00:00:00.000000Z")).thenNothing();
      given
        .when({ ...commands.TerminateServer, data: { ...commands.TerminateServer.data } })
        .thenRejected("server-held", { reason: "Sends unwanted mail" });
    });

    it("ends seven days after its release if it was cancelled and its time is over", () => {
      const given = spec.given(
        ...active,
        samples.ServerCancelled,
        held,
        released("2026-05-01T10:00:00.000000Z"),
      );
      given.when(end("2026-05-08T09:59:59.999999Z")).thenNothing();
      given.when(end("2026-05-08T10:00:00.000000Z")).then(begun("customer", "2026-05-08T10:00:00.000000Z"));
    });

    it("ends seven days after its release, however few days an expired server is kept", () => {
      const soon = (now: string): ServerCommand => ({
        type: "EndServer",
        data: { ...commands.EndServer.data, terminationDays: 1, at: now },
      });
      const instant = "2026-05-01T10:00:00.000000Z";
      const given = spec.given(...active, held, released(instant), suspension(instant));
      given.when(soon("2026-05-08T09:59:59.999999Z")).thenNothing();
      given.when(soon("2026-05-08T10:00:00.000000Z")).then(begun("expired", "2026-05-08T10:00:00.000000Z"));
    });
  });

  it("does not end while its renewal is under way", () => {
    spec
      .given(...active, suspension(expiresAt), renewalBegun())
      .when(end("2030-01-01T00:00:00.000000Z"))
      .thenNothing();
  });
});

describe("a cancellation", () => {
  const { ServerCancelled } = samples;

  it("ends the server with its paid time, running or not, and not before", () => {
    spec
      .given(...active)
      .when(commands.CancelServer)
      .then(ServerCancelled);
    for (const given of [active, suspended]) {
      spec
        .given(...given, ServerCancelled)
        .when(end("2026-02-28T09:59:59.999999Z"))
        .thenNothing();
      spec
        .given(...given, ServerCancelled)
        .when(end(expiresAt))
        .then(begun("customer", expiresAt));
    }
  });

  it("is made once, and taken back by a renewal", () => {
    const given = spec.given(...active, ServerCancelled);
    given.when(commands.CancelServer).thenNothing();
    given.when({ type: "CancelServer", data: { changeId: "c-2", at } }).thenNothing();
    const renewedSince = spec.given(...active, ServerCancelled, samples.ServerRenewed);
    renewedSince.when(end("2030-01-01T00:00:00.000000Z")).thenNothing();
    const again = {
      ...ServerCancelled.data,
      changeId: "c-2",
      endsAt: samples.ServerRenewed.data.expiresAt,
    };
    renewedSince
      .when({ type: "CancelServer", data: { changeId: "c-2", at } })
      .then({ type: "ServerCancelled", data: again });
  });

  it("is refused when the paid time is over, and while a renewal is under way", () => {
    spec
      .given(...active)
      .when({ type: "CancelServer", data: { changeId: "c-2", at: expiresAt } })
      .thenRejected("server-not-active");
    spec
      .given(...active, renewalBegun())
      .when(commands.CancelServer)
      .thenRejected("renewal-in-flight");
  });
});

describe("a termination", () => {
  it.each(["customer", "staff"] as const)("by %s begins at once", (reason) => {
    const command: ServerCommand = { type: "TerminateServer", data: { changeId: "c-end", reason, at } };
    spec
      .given(...active)
      .when(command)
      .then(begun(reason, at));
    spec
      .given(...active, suspension(at, "expired"))
      .when(command)
      .then(begun(reason, at));
    spec
      .given(...active, renewalBegun())
      .when(command)
      .thenRejected("renewal-in-flight");
  });

  it("of a server that staff suspended needs staff", () => {
    const byStaff: ServerCommand = {
      type: "TerminateServer",
      data: { changeId: "c-end", reason: "staff", at },
    };
    const given = spec.given(...active, suspension(at, "staff"));
    given.when(commands.TerminateServer).thenRejected("server-not-active");
    given.when(byStaff).then(begun("staff", at));
  });

  it("ends when the machine is destroyed, once", () => {
    spec
      .given(...terminating)
      .when(commands.RecordServerTerminated)
      .then(samples.ServerTerminated);
    spec
      .given(...terminated)
      .when(commands.RecordServerTerminated)
      .thenNothing();
    for (const given of [active, suspended])
      spec
        .given(...given)
        .when(commands.RecordServerTerminated)
        .thenRejected("server-not-active");
  });

  it("may be repeated while it is in progress; afterwards only by the same request", () => {
    const other: ServerCommand = {
      type: "TerminateServer",
      data: { ...commands.TerminateServer.data, changeId: "c-2" },
    };
    for (const command of [other, commands.TerminateServer, end(at)])
      spec
        .given(...terminating)
        .when(command)
        .thenNothing();
    for (const command of [commands.TerminateServer, end(at)])
      spec
        .given(...terminated)
        .when(command)
        .thenNothing();
    spec
      .given(...terminated)
      .when(other)
      .thenRejected("not-found");
  });

  const accepted = new Set<string>([
    "OrderServer",
    "RecordProvisioned",
    "RecordOrderFailed",
    "RecordServerRenewalFailed",
    "EndServer",
    "TerminateServer",
    "RecordServerTerminated",
  ]);
  test.each(Object.values(commands).filter(({ type }) => !accepted.has(type)))(
    "refuses $type from then on, as if the server did not exist",
    (command) => {
      spec
        .given(...terminating)
        .when(command)
        .thenRejected("server-not-active");
      spec
        .given(...terminated)
        .when(command)
        .thenRejected("not-found");
    },
  );

  it("keeps a recorded renewal for its run's repetition, so that nothing is refunded", () => {
    const { ServerRenewed, ServerTerminationBegun, ServerTerminated } = samples;
    const over = [...active, ServerRenewed, ServerTerminationBegun, ServerTerminated];
    for (const given of [over, over.slice(0, -1)]) {
      const state = given.reduce(server.evolve, server.initialState);
      expect("server" in state ? state.server.renewals : []).toHaveLength(1);
      const { RecordServerRenewed, BeginServerRenewal, RecordServerRenewalFailed } = commands;
      for (const command of [RecordServerRenewed, BeginServerRenewal, RecordServerRenewalFailed])
        spec
          .given(...given)
          .when(command)
          .thenNothing();
    }
  });
});
