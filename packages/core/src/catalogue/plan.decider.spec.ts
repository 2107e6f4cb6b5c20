import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import type { AddPlan, AnnouncePlanPrice, EditPlan } from "./catalogue.commands.ts";
import type { PlanEvent } from "./catalogue.events.ts";
import { commands, samples } from "./catalogue.fixture.ts";
import { plan, planAt } from "./plan.decider.ts";

const spec = deciderSpec(plan);

function addPlan(data: Partial<AddPlan["data"]> = {}): AddPlan {
  return { type: "AddPlan", data: { ...commands.AddPlan.data, ...data } };
}

const offered = plan.evolve(plan.initialState, samples.PlanAdded);

function edit(data: Partial<EditPlan["data"]>): EditPlan {
  return { type: "EditPlan", data: { at: commands.EditPlan.data.at, ...data } };
}

describe("a plan", () => {
  it("is put on offer, once", () => {
    spec.given().when(addPlan()).then(samples.PlanAdded);
    spec.given(samples.PlanAdded).when(addPlan()).thenNothing();
  });

  it("has a title of one trimmed line", () => {
    spec
      .given()
      .when(addPlan({ title: " S " }))
      .then(samples.PlanAdded);
  });

  it.each<Partial<AddPlan["data"]>>([
    { title: "W".repeat(100), cores: 1_024, memoryGb: 65_536, storageGb: 1_048_576 },
    { title: "W", cores: 1, memoryGb: 1, storageGb: 1, monthGrossCents: 0n },
    { monthGrossCents: 1_000_000_000n },
  ])("may have the sizes %o", (data) => {
    expect(plan.decide(addPlan(data), plan.initialState).accepted).toBe(true);
  });

  it.each<[Partial<AddPlan["data"]>, string, string]>([
    [{ title: "" }, "title", "must be 1 to 100 characters long"],
    [{ title: "W".repeat(101) }, "title", "must be 1 to 100 characters long"],
    [{ title: "a\nb" }, "title", "must be one line of well-formed text"],
    [{ cores: 0 }, "cores", "must be a whole number from 1 to 1024"],
    [{ cores: 1_025 }, "cores", "must be a whole number from 1 to 1024"],
    [{ memoryGb: 0.5 }, "memory", "must be a whole number from 1 to 65536"],
    [{ memoryGb: 65_537 }, "memory", "must be a whole number from 1 to 65536"],
    [{ storageGb: -1 }, "storage", "must be a whole number from 1 to 1048576"],
    [{ storageGb: 1_048_577 }, "storage", "must be a whole number from 1 to 1048576"],
    [{ monthGrossCents: -1n }, "price", "must not be negative, and at most 10000000.00"],
    [{ monthGrossCents: 1_000_000_001n }, "price", "must not be negative, and at most 10000000.00"],
  ])("is refused with %o", (data, field, message) => {
    spec
      .given()
      .when(addPlan(data))
      .thenRejected("validation-failed", { fieldErrors: { [field]: [message] } });
  });

  it("is refused with every field that is out of range named", () => {
    const decision = plan.decide(addPlan({ title: "", cores: 0, monthGrossCents: -1n }), plan.initialState);
    const errors = decision.accepted ? {} : decision.rejection.detail?.fieldErrors;
    expect(Object.keys(errors ?? {})).toEqual(["title", "cores", "price"]);
  });

  it("has an announced price from its instant on, and the old price before", () => {
    spec.given(samples.PlanAdded).when(commands.AnnouncePlanPrice).then(samples.PlanPriceAnnounced);
    spec.given(samples.PlanAdded, samples.PlanPriceAnnounced).when(commands.AnnouncePlanPrice).thenNothing();
    const state = plan.evolve(offered, samples.PlanPriceAnnounced);
    const { validFrom } = samples.PlanPriceAnnounced.data;
    expect(planAt(state, "2026-12-31T23:59:59.999999Z")).toBe(state);
    expect(planAt(state, validFrom)).toMatchObject({ monthGrossCents: 1_299n, announced: null });
    expect(planAt(plan.initialState, validFrom)).toBe(plan.initialState);
  });

  it("keeps its announced price when it is edited, unless the edit names a price", () => {
    const { at } = commands.EditPlan.data;
    const given = () => spec.given(samples.PlanAdded, samples.PlanPriceAnnounced);
    const { addedAt: _at, ...terms } = samples.PlanAdded.data;
    const same = { ...terms, editedAt: at };
    given()
      .when(edit({ title: "T" }))
      .then(
        { type: "PlanEdited", data: { ...same, title: "T" } },
        { type: "PlanPriceAnnounced", data: { ...samples.PlanPriceAnnounced.data, announcedAt: at } },
      );
    given()
      .when(edit({ monthGrossCents: 999n }))
      .then({ type: "PlanEdited", data: same });
    given().when(edit({})).thenNothing();
  });

  it("fixes an announced price that is in force when it is edited or gets another announcement", () => {
    const at = "2027-02-01T00:00:00.000000Z";
    const validFrom = "2028-01-01T00:00:00.000000Z";
    const { addedAt: _at, ...terms } = samples.PlanAdded.data;
    const inForce = { ...terms, monthGrossCents: "1299", editedAt: at };
    spec
      .given(samples.PlanAdded, samples.PlanPriceAnnounced)
      .when({ type: "AnnouncePlanPrice", data: { monthGrossCents: 1_500n, validFrom, at } })
      .then(
        { type: "PlanEdited", data: inForce },
        {
          type: "PlanPriceAnnounced",
          data: { planId: 2, monthGrossCents: "1500", validFrom, announcedAt: at },
        },
      );
    spec
      .given(samples.PlanAdded, samples.PlanPriceAnnounced)
      .when(edit({ title: "T", at }))
      .then({ type: "PlanEdited", data: { ...inForce, title: "T" } });
  });

  it.each<[Partial<AnnouncePlanPrice["data"]>, string]>([
    [{ monthGrossCents: -1n }, "price"],
    [{ monthGrossCents: 1_000_000_001n }, "price"],
    [{ validFrom: commands.EditPlan.data.at }, "valid_from"],
    [{ validFrom: "2031-02-01T00:00:00.000000Z" }, "valid_from"],
  ])("refuses an announcement with %o", (data, field) => {
    const command = { ...commands.AnnouncePlanPrice, data: { ...commands.AnnouncePlanPrice.data, ...data } };
    const decision = plan.decide(command, offered);
    const errors = decision.accepted ? {} : decision.rejection.detail?.fieldErrors;
    expect(Object.keys(errors ?? {})).toEqual([field]);
  });

  it("refuses an announcement if it is retired or unknown", () => {
    spec.given().when(commands.AnnouncePlanPrice).thenRejected("plan-not-found");
    const retired = plan.evolve(offered, samples.PlanRetired);
    expect(plan.decide(commands.AnnouncePlanPrice, retired)).toMatchObject({
      rejection: { code: "plan-not-found" },
    });
    expect(() => plan.evolve(retired, samples.PlanPriceAnnounced)).toThrow(CorruptStreamError);
  });

  it("is edited in part or in full, and a repeated edit adds nothing", () => {
    spec.given(samples.PlanAdded).when(commands.EditPlan).then(samples.PlanEdited);
    spec.given(samples.PlanAdded, samples.PlanEdited).when(commands.EditPlan).thenNothing();
    spec.given(samples.PlanAdded).when(edit({})).thenNothing();
    spec
      .given(samples.PlanAdded)
      .when(edit({ title: " S " }))
      .thenNothing();
    for (const one of [
      { title: "T" },
      { cores: 3 },
      { memoryGb: 5 },
      { storageGb: 41 },
      { monthGrossCents: 1n },
    ])
      expect(plan.decide(edit(one), offered)).toMatchObject({ events: [{ type: "PlanEdited" }] });
  });

  it.each<[Partial<EditPlan["data"]>, string]>([
    [{ title: " " }, "title"],
    [{ cores: 0 }, "cores"],
    [{ memoryGb: 65_537 }, "memory"],
    [{ storageGb: 1.5 }, "storage"],
    [{ monthGrossCents: -1n }, "price"],
  ])("is not edited to %o", (data, field) => {
    const decision = plan.decide(edit(data), offered);
    expect(decision).toMatchObject({ accepted: false, rejection: { code: "validation-failed" } });
    const errors = decision.accepted ? {} : decision.rejection.detail?.fieldErrors;
    expect(Object.keys(errors ?? {})).toEqual([field]);
  });

  it("is retired for good, for a reason", () => {
    spec.given(samples.PlanAdded).when(commands.RetirePlan).then(samples.PlanRetired);
    spec.given(samples.PlanAdded, samples.PlanRetired).when(commands.RetirePlan).thenNothing();
    spec.given(samples.PlanAdded, samples.PlanRetired).when(addPlan()).thenNothing();
    spec.given(samples.PlanAdded, samples.PlanRetired).when(commands.EditPlan).thenRejected("plan-not-found");
  });

  it("that does not exist cannot be edited or retired", () => {
    spec.given().when(commands.EditPlan).thenRejected("plan-not-found");
    spec.given().when(commands.RetirePlan).thenRejected("plan-not-found");
  });

  it.each<[string, readonly PlanEvent[]]>([
    ["an edit of nothing", [samples.PlanEdited]],
    ["the end of nothing", [samples.PlanRetired]],
    ["an edit after the end", [samples.PlanAdded, samples.PlanRetired, samples.PlanEdited]],
    ["a second end", [samples.PlanAdded, samples.PlanRetired, samples.PlanRetired]],
  ])("does not fold %s", (_case, events) => {
    expect(() => events.reduce(plan.evolve, plan.initialState)).toThrow(CorruptStreamError);
  });

  it("folds to its state after an edit and its retirement", () => {
    const ended = [samples.PlanAdded, samples.PlanEdited, samples.PlanRetired].reduce(
      plan.evolve,
      plan.initialState,
    );
    expect(ended).toMatchObject({
      status: "retired",
      planId: 2,
      title: "S+",
      cores: 2,
      monthGrossCents: 1_099n,
    });
  });

  it("folds to its resources and price", () => {
    expect(plan.evolve(plan.initialState, samples.PlanAdded)).toEqual({
      status: "offered",
      planId: 2,
      announced: null,
      title: "S",
      cores: 2,
      memoryGb: 4,
      storageGb: 40,
      monthGrossCents: 999n,
    });
    expect(() => [samples.PlanAdded, samples.PlanAdded].reduce(plan.evolve, plan.initialState)).toThrow(
      CorruptStreamError,
    );
  });
});
