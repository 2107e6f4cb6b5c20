import { codecOfCategory } from "@hostledger/core";
import { accountExamples } from "@hostledger/core/testing";
import { randomIds } from "@hostledger/runtime";
import { expect, it } from "vitest";

import { openAudit } from "../audit-service.fixture.ts";

const { opened, credited, charged } = accountExamples;

it("leaves out foreign and damaged events of an account, and names the damaged until and after staff mend them", async () => {
  const { audits, record, store, clock, log } = await openAudit();
  await record("account-7", opened(), ...credited());
  const damaged = {
    id: randomIds.uuid(),
    type: "BalanceCredited.v1",
    data: JSON.stringify(credited()[0]?.data),
    metadata: "{}",
  };
  await store.append("account-7", "any", [
    { id: randomIds.uuid(), type: "CrmNoteTaken", data: "{}", metadata: "{}" },
    damaged,
  ]);
  await log.caughtUp();
  clock.advance(3_600_000);
  const revision = credited().length + 2;
  const named = `account-7@${String(revision)} (BalanceCredited.v1): event metadata: commandId is missing`;
  const asOf = clock.now();
  const stops = `${named}; it stops its stream until the staff have it passed over`;
  const statement = await audits().getStatement({ accountId: 7n });
  expect(statement).toMatchObject({ closingBalanceCents: 10_000n, unreadable: [stops] });
  expect(await audits().getBalanceAsOf({ accountId: 7n, asOf })).toMatchObject({
    balanceCents: 10_000n,
    unreadable: [stops],
  });
  const [{ documentNumber: invoice } = { documentNumber: "" }] = statement.movements;
  expect(await audits().explainInvoice({ invoice })).toMatchObject({ unreadable: [stops] });

  const data = { stream: "account-7", revision, eventId: damaged.id, eventType: damaged.type };
  await record("mending-account-7", {
    type: "StreamMended",
    data: { ...data, reason: "A script wrote it.", mendedAt: asOf },
  });
  await record("account-7", ...charged());
  expect(await audits().getStatement({ accountId: 7n })).toMatchObject({
    closingBalanceCents: 8_810n,
    unreadable: [`${named}; the staff had it passed over: A script wrote it.`],
  });
});

it("leaves out a charge that is repeated under its id, and reports whether staff mended it", async () => {
  const { audits, record, store, clock } = await openAudit({ codecOf: codecOfCategory });
  await record("account-7", opened(), ...credited(), ...charged());
  const before = await audits().getStatement({ accountId: 7n });
  const readAll = async () => {
    const listed = [];
    for await (const { events } of audits().readEvents({ stream: "account-7" })) listed.push(...events);
    return listed.flatMap(({ revision, leftOut }) => (leftOut === "" ? [] : [[revision, leftOut]]));
  };
  const [charge] = charged();
  if (charge === undefined) throw new Error("a charge is an event");
  await record("account-7", charge, ...credited());
  clock.advance(3_600_000);
  const statement = await audits().getStatement({ accountId: 7n });
  expect(statement.closingBalanceCents).toBe(before.closingBalanceCents);
  const revision = 1n + BigInt(credited().length + charged().length);
  const place = `account-7@${String(revision)} (BalanceCharged.v1)`;
  const behind = credited().map(({ type }, at) => [revision + 1n + BigInt(at), type] as const);
  expect(statement.unreadable).toEqual([
    expect.stringMatching(
      /^account-7@\d+ \(BalanceCharged\.v\d\): corrupt stream: .*; it stops its stream until/u,
    ),
    ...behind.map(([at, type]) => expect.stringContaining(`account-7@${String(at)} (${type}.v`) as string),
  ]);
  expect(statement.unreadable.at(-1)).toMatch(/ stops its stream before it$/u);
  expect(await readAll()).toEqual([
    [revision, expect.stringMatching(/^corrupt stream: .*; it stops its stream until/u)],
    ...behind.map(([at]) => [at, `${place} stops its stream before it`]),
  ]);
  let last;
  for await (const event of store.read("account-7", { from: revision, limit: 1 })) last = event;
  if (last === undefined) throw new Error("the account has events");
  const data = {
    stream: "account-7",
    revision: Number(last.revision),
    eventId: last.id,
    eventType: last.type,
  };
  await record("mending-account-7", {
    type: "StreamMended",
    data: { ...data, reason: "A script wrote it.", mendedAt: clock.now() },
  });
  // The payment behind it is one that the account has already: it contradicts the account in its turn.
  expect((await audits().getStatement({ accountId: 7n })).unreadable[0]).toMatch(
    /^account-7@\d+ \(BalanceCharged\.v\d\): corrupt stream: .*; the staff had it passed over: A script wrote it\.$/u,
  );
  expect((await readAll())[0]).toEqual([
    revision,
    expect.stringMatching(/^corrupt stream: .*; the staff had it passed over: A script wrote it\.$/u),
  ]);
});
